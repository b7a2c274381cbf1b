import Foundation
import Glibc
import Testing

/// Readers of the tool's output that read nothing: a full pipe, or a terminal that Ctrl-S has stopped.
@Suite(
    "A reader that stands still",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
)
struct StandstillTests {
    static let content = Content(count: 4 * .mebibyte, seed: 141)

    /// A command, and its output that is not read.
    struct Case: Sendable, CustomTestStringConvertible {
        var words: [String]
        var outputs: String
        var status: Int32 = 7
        var testDescription: String { (words + [outputs]).joined(separator: " ") }
    }

    static let cases = [
        Case(words: ["get", "-x", "1"], outputs: "2>"),
        Case(words: ["get", "-x", "1", "-v"], outputs: "2>"),
        Case(words: ["get", "-x", "1", "--json"], outputs: ">"),
        Case(words: ["get", "-x", "1", "--json", "-v"], outputs: "2>&1 >"),
        Case(words: ["run", "--forever", "--json"], outputs: "2>&1 >", status: 0),
        Case(words: ["run", "-v"], outputs: "2>"),
    ]

    @Test("a full pipe delays neither the transfer nor the signal that ends it", arguments: cases)
    func fullPipe(_ test: Case) async throws {
        try await Sandbox.open { sandbox in
            let pipe = try FullPipe(at: sandbox.root + "/pipe")
            defer { pipe.close() }
            try await held(sandbox) { url in
                let isQueue = test.words[0] == "run"
                if isQueue { try await sandbox.ferry("add", "-x", "1", url).expect(0) }
                let words = test.words + (isQueue ? [] : [url])
                let line = "exec '\(Repository.ferry)' \(words.joined(separator: " "))"
                // "2>&1 >" stands for both.
                let outputs =
                    test.outputs == "2>&1 >" ? ">'\(pipe.path)' 2>&1" : "\(test.outputs)'\(pipe.path)'"
                return try sandbox.launch(
                    executable: try Tool.shell.requiredPath(),
                    ["-c", "\(line) \(outputs)"]
                )
            } status: {
                test.status
            }
        }
    }

    @Test(
        "a terminal stopped by Ctrl-S delays neither the transfer nor the signal that ends it",
        arguments: [SIGINT, SIGTERM]
    )
    func stoppedTerminal(_ signal: Int32) async throws {
        try await Sandbox.open { sandbox in
            let terminal = try StoppedTerminal()
            defer { terminal.close() }
            try await held(sandbox, signal) { url in
                try sandbox.launch(
                    executable: try Tool.shell.requiredPath(),
                    ["-c", "exec '\(Repository.ferry)' get -x 1 '\(url)' >'\(terminal.path)' 2>&1"],
                    environment: ["TERM": "xterm"]
                )
            } status: {
                7
            }
        }
    }

    @Test("a list of one page is downloaded although no one reads the output")
    func unreadList() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(body: Array("a".utf8))
        } _: { sandbox, server in
            let pipe = try FullPipe(at: sandbox.root + "/pipe")
            defer { pipe.close() }
            // Their lines are more than ferry keeps for a slow reader.
            let process = try get((0..<600).map { server.url("\($0)") }, in: sandbox, to: pipe)
            try await Deadline.wait(for: "the files") { try sandbox.fileNames().count == 600 }
            process.send(SIGTERM)
            _ = try await process.outcome()
        }
    }

    @Test("a signal between two pages of a list ends the command, and the rest is not added")
    func stoppedBetweenPages() async throws {
        try await Sandbox.open { sandbox in
            let pipe = try FullPipe(at: sandbox.root + "/pipe")
            defer { pipe.close() }
            let urls = (0..<2_001).map { "http://127.0.0.1:1/\($0)" }
            let process = try get(urls, in: sandbox, to: pipe)
            try await sandbox.transfersBecome("a page") { $0.count == 2_000 }
            process.send(SIGTERM)
            try await process.outcome().expect(7)
            let transfers = try await sandbox.transfers()
            #expect(transfers.count == 2_000)
            // No person has stopped them.
            let free = transfers.filter { $0.process == nil && ["queued", "waiting"].contains($0.state) }
            #expect(free.count == transfers.count)
        }
    }

    /// Downloads a list, with its output to a pipe.
    private func get(_ urls: [String], in sandbox: Sandbox, to pipe: FullPipe) throws -> ChildProcess {
        let list = sandbox.root + "/list"
        try urls.joined(separator: "\n").write(toFile: list, atomically: true, encoding: .utf8)
        let line = "exec '\(Repository.ferry)' get --json -i '\(list)' >'\(pipe.path)'"
        return try sandbox.launch(executable: try Tool.shell.requiredPath(), ["-c", line])
    }

    /// Starts a download whose server stops half-way, and expects that it gets that far and that one signal ends it.
    private func held(
        _ sandbox: Sandbox,
        _ signal: Int32 = SIGTERM,
        _ start: (String) async throws -> ChildProcess,
        status: () -> Int32
    ) async throws {
        try sandbox.publish(Self.content, as: "file.bin")
        let server = try await sandbox.start(Nginx())
        try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
            let process = try await start(relay.url("file.bin"))
            try await relay.holds()
            try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
            process.send(signal)
            try await process.outcome().expect(status())
            let transfer = try #require(try await sandbox.transfers().first)
            #expect(transfer.received > .mebibyte && transfer.process == nil)
        }
    }

    @Test("one signal ends a stream whose reader has stopped, and the hint is to run the same command")
    func stream() async throws {
        try await Sandbox.open { sandbox in
            let pipe = try FullPipe(at: sandbox.root + "/pipe", isFilled: false)
            defer { pipe.close() }
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            let line = "exec '\(Repository.ferry)' get -o - '\(server.url("file.bin"))' >'\(pipe.path)'"
            let process = try sandbox.launch(executable: try Tool.shell.requiredPath(), ["-c", line])
            try await Deadline.wait(for: "the pipe to be full") { pipe.isFull }
            process.send(SIGTERM)
            let outcome = try await process.outcome()
            outcome.expect(7)
            #expect(outcome.errors.contains("start over"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("ferry resume"), "\(outcome.errors)")
        }
    }
}

/// A FIFO with a reader that never reads.
private struct FullPipe {
    let path: String
    private let descriptor: Int32

    init(at path: String, isFilled: Bool = true) throws {
        self.path = path
        guard mkfifo(path, 0o600) == 0 else { throw FreePort.NoPort(errno: errno) }
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw FreePort.NoPort(errno: errno) }
        let page = [UInt8](repeating: 0, count: 4096)
        while isFilled, write(descriptor, page, page.count) > 0 {}
    }

    /// Whether it is full.
    var isFull: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, 0) == 0
    }

    func close() {
        _ = Glibc.close(descriptor)
    }
}

/// A terminal whose output is stopped.
private struct StoppedTerminal {
    let path: String
    private let descriptors: [Int32]

    init() throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var number: UInt32 = 0
        var isLocked: Int32 = 0
        // TIOCSPTLCK and TIOCGPTN, which Swift's Glibc module lacks.
        guard master >= 0, ioctl(master, 0x4004_5431, &isLocked) == 0,
            ioctl(master, 0x8004_5430, &number) == 0
        else {
            throw FreePort.NoPort(errno: errno)
        }
        path = "/dev/pts/\(number)"
        let slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0, tcflow(slave, TCOOFF) == 0 else { throw FreePort.NoPort(errno: errno) }
        descriptors = [master, slave]
    }

    func close() {
        for descriptor in descriptors { _ = Glibc.close(descriptor) }
    }
}
