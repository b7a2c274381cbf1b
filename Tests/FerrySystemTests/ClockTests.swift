import Foundation
import Testing

/// A system clock that is set to another year while ferry runs.
@Suite("Clocks that jump", .berths, .enabled(if: FakeClock.isInstalled, "faketime is not installed"))
struct ClockTests {
    static let content = Content(count: 2 * .mebibyte, seed: 831)
    static let jumps = ["-365d", "+365d"]

    @Test("what runs goes on, counts no attempt, and took as long as it took", arguments: jumps)
    func running(_ jump: String) async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            reply.gates = [(.mebibyte, gate)]
            return reply
        } _: { server in
            try await Harbour.open { harbour in
                let clock = try FakeClock(in: harbour)
                let process = try clock.launch(["get", "-x", "1", server.url("file")])
                try await harbour.transferBecomes("half done") { $0.received >= .mebibyte }
                try clock.set(jump)
                gate.open()
                let outcome = try await process.outcome()
                outcome.expect(0)
                #expect(!outcome.errors.contains("99d"), "\(outcome.errors)")
                try harbour.expectOnly("file", Self.content)
                #expect(server.requests.count == 1)
                #expect(try await harbour.transfers().map(\.state) == ["completed"])
            }
        }
    }

    @Test("what waits to be tried again does not wait for the year to pass", arguments: jumps)
    func waiting(_ jump: String) async throws {
        try await ScriptedServer.run { request in
            request.ordinal == 1
                ? ScriptedReply(status: 503, fields: [("Retry-After", "3000")])
                : .serving(Self.content, tag: "\"a\"", to: request)
        } _: { server in
            try await Harbour.open { harbour in
                let clock = try FakeClock(in: harbour)
                let process = try clock.launch(["get", server.url("file")])
                try await harbour.transferBecomes("waiting") { $0.state == "waiting" }
                try clock.set(jump)
                // A wait is derived anew at least once a minute.
                try await process.outcome(within: .seconds(120)).expect(0)
                try harbour.expectOnly("file", Self.content)
            }
        }
    }

    @Test(
        "a store of a machine whose clock was wrong is read and gone on with",
        arguments: ["@1970-01-01 00:00:09", "@2040-01-01 00:00:00"]
    )
    func wrongAtBoot(_ moment: String) async throws {
        try await ScriptedServer.run {
            .serving(Self.content, tag: "\"a\"", to: $0)
        } _: { server in
            try await Harbour.open { harbour in
                let clock = try FakeClock(in: harbour)
                try clock.set(moment)
                let line = ["add", "--window", "00:00-23:59", server.url("file")]
                try await clock.launch(line).outcome().expect(0)
                let shown = try await clock.launch(["show", "--json", "1"]).outcome()
                shown.expect(0)
                #expect(
                    shown.output.contains(moment.dropFirst().prefix(4) + "-01-01T00:00:"),
                    "\(shown.output)"
                )
                try await clock.launch(["list"]).outcome().expect(0)
                // The clock is right again.
                try await harbour.ferry("list").expect(0)
                try await harbour.ferry("run").expect(0)
                try harbour.expectOnly("file", Self.content)
            }
        }
    }
}

/// The clock that a process is made to believe in; monotonic clocks go on as they are.
struct FakeClock {
    private static let library = [
        "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
        "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    ].first { FileManager.default.fileExists(atPath: $0) }

    static var isInstalled: Bool {
        library != nil && Tool("timeout").isInstalled && Sanitizer.inUse == nil
    }

    private let harbour: Harbour
    private var file: String { harbour.root + "/clock" }

    /// A clock that is right.
    init(in harbour: Harbour) throws {
        self.harbour = harbour
        try set("+0")
    }

    /// Sets it so far from what is right, as in `-365d`, or to a moment.
    func set(_ offset: String) throws {
        try Data("\(offset)\n".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }

    /// Starts ferry under this clock.
    func launch(_ arguments: [String]) throws -> ChildProcess {
        // The library changes the environment of the first process that it is loaded into, and where it does, Swift does not
        // find the arguments.
        try harbour.launch(
            executable: try Tool("timeout").requiredPath(),
            ["--foreground", "300", Repository.ferry] + arguments,
            environment: [
                "LD_PRELOAD": Self.library ?? "",
                "FAKETIME_TIMESTAMP_FILE": file,
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            ]
        )
    }
}
