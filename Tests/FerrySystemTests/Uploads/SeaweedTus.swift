/// SeaweedFS, which takes uploads by tus in front of its files.
struct SeaweedTus: UploadServer {
    var name: String { "SeaweedFS by tus" }
    var tool: Tool { .seaweed }
    var keepsAll: Bool { true }

    func command(_ plan: ServerPlan) throws -> [String] { try SeaweedFS(front: .files).command(plan) }

    func words(_ name: String, through port: Int) -> [String] {
        ["http://127.0.0.1:\(port)/.tus/\(name)", "--protocol", "tus", "--part-size", "5M"]
    }

    func opening(_ server: Server) throws -> [String]? {
        [try Tool.curl.requiredPath(), "--fail", "--silent", "--form", "file=x", server.url("first")]
    }

    func download(_ name: String, to path: String, from server: Server) throws -> [String] {
        try fetching(name, to: path, from: server)
    }

    func unfinished(at server: Server) throws -> [String] { try looking("sessions", "\(server.port)") }
}
