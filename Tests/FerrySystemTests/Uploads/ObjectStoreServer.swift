/// An object store that speaks the protocol of S3, with the bucket `bucket`.
protocol ObjectStoreServer: UploadServer {}

extension ObjectStoreServer {
    func words(_ name: String, through port: Int) -> [String] {
        ["s3://bucket/a dir/\(name)", "--part-size", "5M", "--endpoint", "http://127.0.0.1:\(port)"]
    }

    func opening(_ server: Server) throws -> [String]? { try looking("open", "\(server.port)") }

    func download(_ name: String, to path: String, from server: Server) throws -> [String] {
        try looking("get", "\(server.port)", "a dir/\(name)", path)
    }

    func unfinished(at server: Server) throws -> [String] { try looking("parts", "\(server.port)") }
}

extension SeaweedFS: ObjectStoreServer {}
