/// A server of others that takes uploads, and the client of others that looks at what it has.
protocol UploadServer: ServerKind {
    /// The length of a file to send, in bytes.
    var length: Int { get }
    /// Whether the server keeps what it has received of a request that breaks off.
    var keepsAll: Bool { get }

    /// A pattern of `grep -E` for the server's name of an upload, if ferry may learn it while the body is sent.
    var mark: String? { get }

    /// What ferry is told, besides the file, to send it to the port of a relay under a name.
    func words(_ name: String, through port: Int) -> [String]
    /// A command that fails until the server takes files; `nil` if it takes them at once.
    func opening(_ server: Server) throws -> [String]?
    /// The command that downloads the object to a path.
    func download(_ name: String, to path: String, from server: Server) throws -> [String]
    /// The command that prints the uploads that are not finished.
    func unfinished(at server: Server) throws -> [String]
}

extension UploadServer {
    var length: Int { 23 * .mebibyte + 17 }
    var keepsAll: Bool { false }
    var mark: String? { nil }

    func opening(_ server: Server) throws -> [String]? { nil }

    /// A command of the script that looks at servers.
    func looking(_ words: String...) throws -> [String] {
        let script = "\(Repository.root)/Tests/FerrySystemTests/Uploads/upload-servers.py"
        return [try Tool.uploadPython.requiredPath(), "-B", script] + words
    }

    /// The command of curl that downloads a path of the server.
    func fetching(_ path: String, to file: String, from server: Server) throws -> [String] {
        [
            try Tool.curl.requiredPath(), "--fail", "--silent", "--show-error", "--output", file,
            server.url(path),
        ]
    }

    /// The command that prints files by a pattern.
    func finding(_ pattern: String, in directory: String) throws -> [String] {
        [try Tool.find.requiredPath(), directory, "-type", "f", "-name", pattern]
    }
}
