import Foundation
import Glibc
import Synchronization
import Testing

/// The temporary directory of one test: the site that servers serve, ferry's working directory, its data directory and
/// a home. When the test's body ends, every process and server is stopped and the directory is removed.
final class Sandbox: Sendable {
    /// The directory that holds the others.
    let root: String
    /// The document root of the servers.
    var site: String { root + "/site" }
    /// The directory that ferry runs in, and by default downloads to.
    var workingDirectory: String { root + "/work" }
    /// The data directory of ferry.
    var data: String { root + "/data" }
    /// The home directory of ferry.
    var home: String { root + "/home" }

    private let state = Mutex(State())

    private struct State {
        var started = 0
        var servers: [Server] = []
        var processes: [ChildProcess] = []
    }

    private init(in parent: String) throws {
        // Without a doubled slash, because tests compare these paths with the kernel's names for them.
        let parent = URL(fileURLWithPath: parent).resolvingSymlinksInPath().path
        var template = Array((parent + "/ferry-test-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw FreePort.NoPort(errno: errno) }
        root = String(cString: made)
        // A server that drops root's privileges must still be able to read it.
        chmod(root, 0o755)
        for directory in [site, workingDirectory, home, root + "/logs"] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
    }

    /// Runs `body` with a new sandbox in `parent`, and closes the sandbox afterwards.
    static func open(
        in parent: String = NSTemporaryDirectory(),
        _ body: (Sandbox) async throws -> Void
    ) async throws {
        let sandbox = try Sandbox(in: parent)
        do {
            try await body(sandbox)
        } catch {
            await sandbox.close()
            throw error
        }
        await sandbox.close()
    }

    private func close() async {
        let (processes, servers) = state.withLock { ($0.processes, $0.servers) }
        for process in processes { await process.end() }
        for server in servers { await server.stop() }
        do {
            try FileManager.default.removeItem(atPath: root)
        } catch {
            Issue.record("The test's directory could not be removed: \(error)")
        }
    }

    // MARK: Files

    /// Publishes a file on the site by renaming it, so that a server never sees half of it.
    ///
    /// By default the file is dated 2001: servers mark the validator of a file as weak if the file is only seconds old.
    func publish(
        _ content: Content,
        as name: String,
        modified: Date = Date(timeIntervalSince1970: 1e9)
    ) throws {
        let draft = "\(root)/draft-\(UUID().uuidString)"
        try content.bytes.write(to: URL(fileURLWithPath: draft))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644, .modificationDate: modified],
            ofItemAtPath: draft
        )
        guard rename(draft, "\(site)/\(name)") == 0 else { throw FreePort.NoPort(errno: errno) }
    }

    /// The path of a file in the working directory.
    func path(of name: String) -> String { "\(workingDirectory)/\(name)" }

    /// The sorted names of all files in the working directory.
    func fileNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: workingDirectory).sorted()
    }

    // MARK: Servers

    /// Starts a server that serves the site.
    func start(_ kind: any ServerKind, _ options: ServerOptions = ServerOptions()) async throws -> Server {
        let number = state.withLock { state in
            state.started += 1
            return state.started
        }
        let directory = "\(root)/server-\(number)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let server = Server(kind, options, site: site, directory: directory)
        state.withLock { $0.servers.append(server) }
        try await server.start()
        return server
    }

    // MARK: Processes

    /// Starts ferry in the background.
    func launch(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: String = "/dev/null"
    ) throws
        -> ChildProcess
    {
        try launch(executable: Repository.ferry, arguments, environment: environment, input: input)
    }

    /// Runs ferry to its end.
    func ferry(
        _ arguments: String...,
        environment: [String: String] = [:],
        input: String = "/dev/null"
    ) async throws -> Outcome {
        try await launch(arguments, environment: environment, input: input).outcome()
    }

    /// Runs a line of shell to its end; `ferry` in it is the binary under test.
    func shell(_ line: String, environment: [String: String] = [:]) async throws -> Outcome {
        let prefix = "set -eu; ferry() { '\(Repository.ferry)' \"$@\"; }; "
        return try await launch(
            executable: try Tool.shell.requiredPath(),
            ["-c", prefix + line],
            environment: environment
        ).outcome()
    }

    /// Starts any program in the background, by default in ferry's working directory.
    func launch(
        executable: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        directory: String? = nil,
        input: String = "/dev/null"
    ) throws -> ChildProcess {
        let number = state.withLock { state in
            state.started += 1
            return state.started
        }
        let launch = Launch(
            executable: executable,
            arguments: arguments,
            environment: baseEnvironment.merging(environment) { $1 },
            directory: directory ?? workingDirectory,
            input: input
        )
        let process = try ChildProcess(
            launch,
            outputTo: "\(root)/logs/\(number).out",
            errorsTo: "\(root)/logs/\(number).err"
        )
        state.withLock { $0.processes.append(process) }
        return process
    }

    /// Everything that the processes of this sandbox have written so far, to standard output and standard error.
    var saidSoFar: String {
        state.withLock { $0.processes }.map { $0.outputSoFar + $0.errorsSoFar }.joined()
    }

    /// Ferry inherits no variable of the tests' own environment, so no proxy and no settings. The options of the
    /// sanitizers are the exception, because ferry may have been built with them.
    private var baseEnvironment: [String: String] {
        let own = ProcessInfo.processInfo.environment
        let kept = own.filter { ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains($0.key) }
        return kept.merging([
            "PATH": own["PATH"] ?? "/usr/bin:/bin",
            "HOME": home,
            "FERRY_DATA_DIR": data,
            "LANG": "C.UTF-8",
            "TMPDIR": root,
        ]) { $1 }
    }
}
