import Foundation
import Glibc
import Testing

/// Times of day at which transfers may run. The tests work at any time: they compute windows from the current time, and
/// set the time zone.
@Suite("Time windows", .limitedParallelism)
struct TimeWindowTests {
    private let content = Content(count: 100_000, seed: 151)

    /// A window that begins some minutes from now, in the local time of a zone some hours ahead of UTC.
    private func window(after minutes: Int, lasting length: Int = 60, zone hours: Int = 0) -> String {
        let now = Int(Date().timeIntervalSince1970) / 60 + hours * 60 + minutes
        func time(_ minute: Int) -> String {
            let ofDay = (minute % 1440 + 1440) % 1440
            return String(format: "%02d:%02d", ofDay / 60, ofDay % 60)
        }
        return "\(time(now))-\(time(now + length))"
    }

    /// The variable for a zone some hours ahead of UTC. POSIX reverses the sign.
    private func zone(_ hours: Int) -> [String: String] { ["TZ": "<ZONE>\(-hours)"] }

    @Test("outside its window a command waits and says until when, and another command removes the window")
    func waits() async throws {
        try await serve { sandbox, server in
            let window = window(after: 360)
            let get = try sandbox.launch(
                ["get", "--window", window, server.url("file.bin")],
                environment: zone(0)
            )
            try await Deadline.wait(for: "the command to say what it waits for", said: { get.errorsSoFar }) {
                get.errorsSoFar.contains("for its time window, until ")
            }
            let opening = String(window.prefix(5))
            #expect(get.errorsSoFar.contains("\(opening)\n"), "\(get.errorsSoFar)")
            try await sandbox.transferBecomes("waiting") { $0.waitingFor?.condition == "window" }
            #expect(try await sandbox.transfers().first?.attempts == 0)
            let listed = try await sandbox.ferry("list", environment: zone(0))
            #expect(listed.output.contains("its time window opens "), "\(listed.output)")
            #expect(listed.output.contains(opening), "\(listed.output)")
            let json = try await sandbox.ferry("show", "--json", "1")
            #expect(json.output.contains("\(opening):00.000Z\""), "\(json.output)")
            #expect(json.output.contains("\"window\":\"\(window)\""), "\(json.output)")
            #expect(server.requests.isEmpty)
            try await sandbox.ferry("edit", "1", "--window", "off").expect(0)
            try await get.outcome().expect(0)
            try sandbox.expectOnly("file.bin", content)
        }
    }

    @Test("a list line can have its own window, and a signal during the wait pauses the transfer")
    func stopped() async throws {
        try await serve { sandbox, server in
            let list = sandbox.path(of: "list")
            let lines =
                "\(server.url("file.bin"))\n window=\(window(after: 360))\n\(server.url("other.bin"))\n"
            try lines.write(toFile: list, atomically: true, encoding: .utf8)
            let get = try sandbox.launch(["get", "-i", list], environment: zone(0))
            try await Deadline.wait(for: "the other one to be done", said: { get.errorsSoFar }) {
                get.errorsSoFar.contains("Done: ")
            }
            #expect(get.errorsSoFar.contains("file.bin: waiting "), "\(get.errorsSoFar)")
            get.send(SIGINT)
            try await get.outcome().expect(7)
            #expect(try await sandbox.transfers().map(\.state) == ["paused", "completed"])
            #expect(server.requests.map(\.path) == ["/other.bin"])
            try await sandbox.ferry("edit", "1", "--window", "off").expect(0)
            try await sandbox.ferry("resume", "1").expect(0)
            #expect(content.isWhole(at: sandbox.path(of: "file.bin")))
        }
    }

    @Test(
        "a run of the queue says what it waits for, and a stop during the wait ends with 7",
        arguments: [0, 6]
    )
    func stoppedRun(_ hours: Int) async throws {
        try await serve { sandbox, server in
            // Added six hours ahead, the transfer is queued, and its window is closed when the queue runs.
            let window = window(after: 360)
            let line = ["add", "--window", window, server.url("file.bin")]
            try await sandbox.launch(line, environment: zone(hours)).outcome().expect(0)
            let state = hours == 0 ? "waiting" : "queued"
            #expect(try await sandbox.transfers().map(\.state) == [state])
            let run = try sandbox.launch(["run"], environment: zone(0))
            try await Deadline.wait(for: "the run to say what it waits for", said: { run.errorsSoFar }) {
                run.errorsSoFar.contains("for its time window, until ")
            }
            run.send(SIGTERM)
            let outcome = try await run.outcome()
            outcome.expect(7)
            let told = "Stopped. Unfinished transfers: 1. Resume with `ferry run`."
            #expect(outcome.errors.contains(told), "\(outcome.errors)")
            #expect(server.requests.isEmpty)
        }
    }

    @Test("the window uses the local time of the zone, and a transfer inside it runs", arguments: [-9, 0, 6])
    func zones(_ hours: Int) async throws {
        try await serve { sandbox, server in
            // The window is open in only one of the three zones.
            let window = window(after: -60, lasting: 120, zone: hours)
            for other in [-9, 0, 6] where other != hours {
                let name = "\(other).bin"
                let line = ["add", "--window", window, server.url(name)]
                try await sandbox.launch(line, environment: zone(other)).outcome().expect(0)
            }
            #expect(try await sandbox.transfers().allSatisfy { $0.waitingFor?.condition == "window" })
            let line = ["get", "--window", window, server.url("file.bin")]
            try await sandbox.launch(line, environment: zone(hours)).outcome().expect(0)
            try sandbox.expectOnly("file.bin", content)
        }
    }

    @Test("an invalid window is refused without a request")
    func refused() async throws {
        try await Sandbox.open { sandbox in
            for words in [["get", "http://127.0.0.1:1/x"], ["add", "http://127.0.0.1:1/x"], ["edit", "1"]] {
                let outcome = try await sandbox.launch(words + ["--window", "night"]).outcome()
                outcome.expect(64)
                #expect(outcome.errors.contains("--window"), "\(outcome.errors)")
            }
        }
    }

    private func serve(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        let content = content
        try await ScriptedServer.run(with: body) { .serving(content, tag: "\"v1\"", to: $0) }
    }
}
