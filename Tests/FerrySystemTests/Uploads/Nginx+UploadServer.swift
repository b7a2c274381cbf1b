extension Nginx: UploadServer {
    var length: Int { 7 * .mebibyte + 17 }

    func words(_ name: String, through port: Int) -> [String] { ["http://127.0.0.1:\(port)/\(name)"] }

    func download(_ name: String, to path: String, from server: Server) throws -> [String] {
        try fetching(name, to: path, from: server)
    }

    func unfinished(at server: Server) throws -> [String] {
        try finding("*", in: "\(server.directory)/temporary-client_body")
    }
}
