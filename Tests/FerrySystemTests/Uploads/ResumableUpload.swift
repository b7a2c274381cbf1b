/// The server of tus in the package `resumable-upload`.
struct ResumableUpload: UploadServer {
    var name: String { "resumable-upload" }
    var tool: Tool { Tool("resumable-upload", in: "uploads") }

    func command(_ plan: ServerPlan) throws -> [String] {
        [
            try tool.requiredPath(), "serve", "--host", "127.0.0.1", "--port", "\(plan.port)",
            "--upload-dir", plan.site, "--db-path", Self.database(of: plan.site), "--enable-downloads",
        ]
    }

    private static func database(of site: String) -> String { "\(site)/../uploads.sqlite" }

    func words(_ name: String, through port: Int) -> [String] {
        ["http://127.0.0.1:\(port)/files", "--protocol", "tus", "--part-size", "5M"]
    }

    /// The server gives each file a name; the one that was created last is meant.
    func download(_ name: String, to path: String, from server: Server) throws -> [String] {
        let line = "curl --fail --silent --show-error --output \"$1\" \"$2$(ls -t \"$3\" | head -n 1)\""
        return [try Tool.shell.requiredPath(), "-c", line, "sh", path, server.url("files/"), server.site]
    }

    func unfinished(at server: Server) throws -> [String] {
        try looking("rows", Self.database(of: server.site))
    }
}
