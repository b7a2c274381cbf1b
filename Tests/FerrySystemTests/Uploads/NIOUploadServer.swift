/// A server with `NIOResumableUpload` of swift-nio-extras, which speaks drafts of the IETF's protocol.
struct NIOUploadServer: UploadServer {
    var name: String { "swift-nio-extras" }
    var tool: Tool { Tool(built: "upload-application") }
    var keepsAll: Bool { true }
    var mark: String? { "resumable_upload[\\/]+[0-9]+-[0-9]+" }

    func command(_ plan: ServerPlan) throws -> [String] {
        [try tool.requiredPath(), "\(plan.port)", plan.site]
    }

    func words(_ name: String, through port: Int) -> [String] {
        ["http://127.0.0.1:\(port)/\(name)", "--protocol", "ietf"]
    }

    func download(_ name: String, to path: String, from server: Server) throws -> [String] {
        ["/bin/cp", "\(server.site)/\(name)", path]
    }

    func unfinished(at server: Server) throws -> [String] { try finding("*.unfinished-*", in: server.site) }
}
