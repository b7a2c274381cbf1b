import Foundation

/// The directories that a flow's commands change. Only these are watched, and each replay makes them anew.
struct FlowDirectories: Sendable {
    let root: String
    /// Keeps the files whose inode numbers the replays need.
    let vault: String
    /// The file that is uploaded.
    let source: String
    /// The key file that opens sealed files.
    let identity: String

    init(in sandbox: Sandbox) throws {
        root = NameTree.normal(sandbox.root + "/flow")
        vault = NameTree.normal(sandbox.root + "/vault")
        source = NameTree.normal(sandbox.root + "/source")
        identity = NameTree.normal(sandbox.root + "/identity")
        try Data(SampleIdentity.text.utf8).write(to: URL(fileURLWithPath: identity))
        for path in [vault, destination, root + "/state"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
    }

    /// The directory that the downloads go to.
    var destination: String { root + "/destination" }
    /// The data directory. A flow that makes the store also makes the last two directories of this path.
    var data: String { root + "/state/user/ferry" }

    var environment: [String: String] { ["FERRY_DATA_DIR": data] }

    func words(_ arguments: [String], _ server: ScriptedServer) -> [String] {
        arguments.map { word in
            if word.hasPrefix("DESTINATION") { return destination + word.dropFirst("DESTINATION".count) }
            if word == "SOURCE" { return source }
            if word == "URL" { return "http://127.0.0.1:\(server.port)" }
            return word.hasPrefix("URL/") ? server.url(String(word.dropFirst("URL/".count))) : word
        }
    }
}
