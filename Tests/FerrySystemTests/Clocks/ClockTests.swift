import Foundation
import Testing

/// A system clock that is set to another year while ferry runs.
@Suite("Clocks that jump", .limitedParallelism, .enabled(if: FakeClock.isInstalled, "there is no C compiler"))
struct ClockTests {
    static let content = Content(count: 2 * .mebibyte, seed: 831)
    static let jumps: [Duration] = [.seconds(-365 * 86_400), .seconds(365 * 86_400)]

    @Test("a running download continues, counts no attempt, and reports the right duration", arguments: jumps)
    func running(_ jump: Duration) async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            reply.gates = [(.mebibyte, gate)]
            return reply
        } _: { sandbox, server in
            let clock = try await FakeClock(in: sandbox)
            let process = try clock.launch(["get", "-x", "1", server.url("file")])
            try await sandbox.transferBecomes("half done") { $0.received >= .mebibyte }
            try clock.set(jump)
            gate.open()
            let outcome = try await process.outcome()
            outcome.expect(0)
            #expect(!outcome.errors.contains("99d"), "\(outcome.errors)")
            try sandbox.expectOnly("file", Self.content)
            #expect(server.requests.count == 1)
            #expect(try await sandbox.transfers().map(\.state) == ["completed"])
        }
    }

    @Test("a transfer that waits for a retry does not wait for a year", arguments: jumps)
    func waiting(_ jump: Duration) async throws {
        try await ScriptedServer.run { request in
            request.ordinal == 1
                ? ScriptedReply(status: 503, fields: [("Retry-After", "3000")])
                : .serving(Self.content, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            let clock = try await FakeClock(in: sandbox)
            let process = try clock.launch(["get", server.url("file")])
            try await sandbox.transferBecomes("waiting") { $0.state == "waiting" }
            try clock.set(jump)
            try await process.outcome().expect(0)
            try sandbox.expectOnly("file", Self.content)
        }
    }

    @Test(
        "a store from a time when the clock was wrong can be read, and its transfers resume",
        arguments: [(year: 1970, moment: 9), (year: 2040, moment: 2_208_988_800)]
    )
    func wrongAtBoot(_ year: Int, _ moment: TimeInterval) async throws {
        try await ScriptedServer.run {
            .serving(Self.content, tag: "\"a\"", to: $0)
        } _: { sandbox, server in
            let clock = try await FakeClock(in: sandbox)
            try clock.set(Date(timeIntervalSince1970: moment))
            let line = ["add", "--window", "00:00-23:59", server.url("file")]
            try await clock.launch(line).outcome().expect(0)
            let shown = try await clock.launch(["show", "--json", "1"]).outcome()
            shown.expect(0)
            #expect(shown.output.contains("\(year)-01-01T00:00:"), "\(shown.output)")
            try await clock.launch(["list"]).outcome().expect(0)
            // The clock is right again.
            try await sandbox.ferry("list").expect(0)
            try await sandbox.ferry("run").expect(0)
            try sandbox.expectOnly("file", Self.content)
        }
    }
}
