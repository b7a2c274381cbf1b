import Foundation
import Synchronization

/// A site in the test that lists its directories, and that kills the process which asks at chosen requests.
final class ListedSite: Sendable {
    private struct State {
        var victim: ChildProcess?
        var countdown = 0
        var asked: [String] = []
    }

    private let files: [String: Data]
    private let state = Mutex(State())

    /// - Parameter files: the bytes by path, without a leading slash.
    init(_ files: [String: Data]) { self.files = files }

    /// Starts a process, and kills it when it makes a request for the given time.
    func launch(_ start: () throws -> ChildProcess, killedAt countdown: Int) throws -> ChildProcess {
        // The server answers nothing before the process is known.
        try state.withLock { state in
            let process = try start()
            (state.victim, state.countdown, state.asked) = (process, countdown, [])
            return process
        }
    }

    /// The paths that were asked for since the latest launch, in order.
    var asked: [String] { state.withLock { $0.asked } }

    /// Answers a request.
    func answer(_ request: ScriptedRequest) -> ScriptedReply {
        let path = String(request.path.dropFirst())
        let isKilled = state.withLock { state in
            if request.method == "GET" { state.asked.append(path) }
            state.countdown -= 1
            guard state.countdown == 0 else { return false }
            state.victim?.send(SIGKILL)
            return true
        }
        if isKilled { return ScriptedReply(status: 503) }
        guard request.method == "GET" else { return ScriptedReply(status: 405) }
        if path.isEmpty || path.hasSuffix("/") { return page(path) }
        guard let bytes = files[path] else { return ScriptedReply(status: 404) }
        return .serving(Content(bytes: bytes), tag: "\"\(path.utf8.count)-\(bytes.count)\"", to: request)
    }

    private func page(_ directory: String) -> ScriptedReply {
        let below = files.keys.filter { $0.hasPrefix(directory) }.map { $0.dropFirst(directory.count) }
        let names = Set(
            below.map { path in path.firstIndex(of: "/").map { String(path[...$0]) } ?? String(path) }
        )
        let links = names.sorted().map { "<a href=\"\($0)\">\($0)</a> 15-Nov-1994 12:45 1K\n" }
        let text =
            "<html><title>Index of /\(directory)</title><pre><a href=\"../\">../</a>\n\(links.joined())</pre></html>"
        return ScriptedReply(fields: [("Content-Type", "text/html")], body: Array(text.utf8))
    }
}

extension ScriptedReply {
    /// A listing of these names as nginx writes it in JSON, without sizes. A name that ends with a slash is one of a directory.
    static func json(_ names: [String]) -> ScriptedReply {
        let entries = names.map { name in
            let (own, kind) = name.hasSuffix("/") ? (String(name.dropLast()), "directory") : (name, "file")
            return #"{"name":"\#(own)","type":"\#(kind)","mtime":"Tue, 15 Nov 1994 12:45:26 GMT"}"#
        }
        let text = "[\(entries.joined(separator: ","))]"
        return ScriptedReply(fields: [("Content-Type", "application/json")], body: Array(text.utf8))
    }

    /// A page that lists a directory with these links.
    static func page(_ links: [String]) -> ScriptedReply {
        let text =
            "<title>Index of</title>" + links.map { "<a href=\"\($0)\">x</a> 15-Nov-1994 12:45 4\n" }.joined()
            + "</html>"
        return ScriptedReply(fields: [("Content-Type", "text/html")], body: Array(text.utf8))
    }
}
