import Foundation
import Glibc
import Synchronization

/// A real web server that a test runs on its own loopback port.
final class Server: Sendable {
    let kind: any ServerKind
    let options: ServerOptions
    let site: String
    let directory: String
    private let state = Mutex(State())

    private struct State {
        var port = 0
        var running: Running?
        var starts = 0
    }

    /// A socket pair ties the server to the tests. When this end closes, because a test stops the server or because the
    /// tests died, the shell at the other end kills the server by its number.
    private struct Running {
        var shell: ChildProcess
        var lifeline: Int32
    }

    private static let keeper = """
        exec 3<&0
        "$@" </dev/null 3<&- &
        server=$!
        read -r _ <&3 || true
        kill -TERM "$server"
        wait "$server"
        """

    init(_ kind: any ServerKind, _ options: ServerOptions, site: String, directory: String) {
        self.kind = kind
        self.options = options
        self.site = site
        self.directory = directory
    }

    var port: Int { state.withLock { $0.port } }

    /// The URL of a file on the site. `name` is not encoded.
    func url(_ name: String, userinfo: String? = nil) -> String {
        let scheme = options.certificate == nil ? "http" : "https"
        return "\(scheme)://\(userinfo.map { $0 + "@" } ?? "")127.0.0.1:\(port)/\(name)"
    }

    // MARK: Life

    /// Starts it, on the same port as before if it has run already.
    func start() async throws {
        let known = port
        for attempt in 1...4 {
            let port = known == 0 ? try FreePort.find() : known
            do {
                try await start(on: port)
                return
            } catch  where attempt < 4 {
                // Another process may have taken the port.
                await stop()
            }
        }
    }

    private func start(on port: Int) async throws {
        let plan = ServerPlan(site: site, directory: directory, port: port, options: options)
        let command = try kind.command(plan)
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { throw FreePort.NoPort(errno: errno) }
        let number = state.withLock { state in
            state.starts += 1
            return state.starts
        }
        let launch = Launch(
            executable: try Tool.shell.requiredPath(),
            arguments: ["-c", Self.keeper, "sh"] + command,
            environment: [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": directory,
            ],
            directory: directory,
            inputDescriptor: ends[0]
        )
        let shell = try ChildProcess(
            launch,
            outputTo: "\(directory)/stdout-\(number)",
            errorsTo: "\(directory)/stderr-\(number)"
        )
        close(ends[0])
        state.withLock { state in
            state.port = port
            state.running = Running(shell: shell, lifeline: ends[1])
        }
        try await Deadline.wait(
            for: "\(kind.name) to answer on port \(port)",
            said: { shell.errorsSoFar + shell.outputSoFar + self.errorLog }
        ) { FreePort.isAnswered(port) }
    }

    /// Stops it and waits until it has ended.
    func stop() async {
        let running = state.withLock { state in
            defer { state.running = nil }
            return state.running
        }
        guard let running else { return }
        close(running.lifeline)
        do {
            _ = try await running.shell.outcome()
        } catch {
            await running.shell.end()
        }
    }

    private var errorLog: String {
        String(
            decoding: FileManager.default.contents(atPath: directory + "/error.log") ?? Data(),
            as: UTF8.self
        )
    }

    // MARK: What it saw

    /// The requests that it has answered or aborted, in the order of their ends.
    var requests: [LoggedRequest] {
        let log = FileManager.default.contents(atPath: directory + "/access.log") ?? Data()
        return String(decoding: log, as: UTF8.self).split(separator: "\n").compactMap {
            LoggedRequest(line: $0)
        }
    }

    /// Waits until nginx has no connection, so that its log is complete.
    func becomesIdle() async throws {
        try await Deadline.wait(for: "the server to become idle") { try await connections() == 0 }
    }

    /// Waits until nginx has `count` connections at once, or `isOver` returns true.
    func serves(_ count: Int, or isOver: () -> Bool) async throws {
        try await Deadline.wait(for: "\(count) connections") {
            let open = try await connections()
            return open >= count || isOver()
        }
    }

    /// How many connections nginx has, without the one that asks.
    private func connections() async throws -> Int {
        let status = try await RawHTTP.get("/connection-status", port: port)
        guard let label = status.firstRange(of: "Active connections: ") else { return .max }
        return (Int(status[label.upperBound...].prefix { $0.isNumber }) ?? .max) - 1
    }
}

/// The settings of a server.
struct ServerOptions: Sendable {
    /// The rate limit of each connection in bytes per second, if the server supports one.
    var bytesPerSecond: Int?
    /// Serve over TLS with this certificate.
    var certificate: Certificate?
    /// Require this client certificate.
    var client: Certificate?
    /// Forward every request to this port of the loopback address.
    var backend: Int?
    /// Take files by PUT into the site, if the server can.
    var takesFiles = false
    /// Answer for a directory with a page that lists it.
    var listsDirectories = false
    /// Require this user and password.
    var credentials: (user: String, password: String)?
}

/// The directories, the port and the options that a server is started with.
struct ServerPlan: Sendable {
    var site: String
    var directory: String
    var port: Int
    var options: ServerOptions

    /// Writes a file for the server, and returns its path.
    func write(_ text: String, as name: String) throws -> String {
        let path = "\(directory)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }
}

/// A brand of server.
protocol ServerKind: Sendable {
    var name: String { get }
    var tool: Tool { get }

    /// Writes its configuration, and returns the command that runs it in the foreground.
    func command(_ plan: ServerPlan) throws -> [String]
}

/// One line of nginx's access log.
struct LoggedRequest: Hashable, Sendable {
    var method: String
    var path: String
    var status: Int
    /// Bytes of the body that were sent.
    var sent: Int
    /// The start of the requested range; 0 without a range.
    var start: Int
    /// The `Range` field; empty if the request has none.
    var range: String

    init?(line: Substring) {
        let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 5, let status = Int(fields[2]), let sent = Int(fields[3]) else { return nil }
        method = fields[0]
        path = fields[1]
        self.status = status
        self.sent = sent
        range = fields[4] == "-" ? "" : fields[4]
        let first = range.drop { !$0.isNumber }.prefix { $0.isNumber }
        start = Int(first) ?? 0
    }
}
