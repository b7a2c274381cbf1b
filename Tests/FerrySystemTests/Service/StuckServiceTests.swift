import Glibc
import Testing

/// A service whose engine cannot go on: somebody holds the store and does not let go of it.
@Suite(
    "A service that is stuck",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
)
struct StuckServiceTests {
    static let content = Content(count: 4 * .mebibyte, seed: 521)

    @Test("once the store is free again, it goes on, and its watchdog hears of it")
    func goesOn() async throws {
        try await Sandbox.open { sandbox in
            let (service, manager) = try await sandbox.serve(environment: Self.watched)
            defer { manager.stop() }
            try await manager.hears("WATCHDOG=1", times: 2)
            let lock = try StoreLock(of: sandbox)
            try await Deadline.wait(for: "the service to be stuck") { try lock.isAwaited(by: service.pid) }
            let heard = manager.count(of: "WATCHDOG=1")
            lock.release()
            try await manager.hears("WATCHDOG=1", times: heard + 3)
            service.send(SIGTERM)
            try await service.outcome().expect(0)
        }
    }

    @Test("it ends in time all the same, and what it ran is gone on with from what was recorded")
    func endsInTime() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Self.content, as: "file.bin")
            let server = try await sandbox.start(Nginx())
            try await Relay.run(to: server, holdingAfter: [2 * .mebibyte]) { relay in
                try await sandbox.ferry("add", "-x", "1", relay.url("file.bin")).expect(0)
                let (service, manager) = try await sandbox.serve(environment: Self.watched)
                defer { manager.stop() }
                try await relay.holds()
                let half = try await sandbox.transferBecomes("half done") { $0.received > .mebibyte }
                let lock = try StoreLock(of: sandbox)
                try await Deadline.wait(for: "the service to be stuck") {
                    try lock.isAwaited(by: service.pid)
                }
                let heard = manager.count(of: "WATCHDOG=1")
                service.send(SIGTERM)
                let outcome = try await service.outcome(within: .seconds(30))
                outcome.expect(7)
                #expect(outcome.errors.contains("did not stop in time"), "\(outcome.errors)")
                #expect(manager.lines.contains("STOPPING=1"))
                // A word may have been under way when the lock was taken. In the seconds that the stop took, dozens would
                // have come of a service that is well.
                #expect(manager.count(of: "WATCHDOG=1") <= heard + 1)

                lock.release()
                let before = relay.passed
                try await sandbox.ferry("run").expect(0)
                try sandbox.expectOnly("file.bin", Self.content)
                #expect(relay.passed - before < Self.content.count - half.received + 64 * .kibibyte)
            }
        }
    }

    /// A manager that wants to hear of the service ten times in a second.
    static let watched = ["WATCHDOG_USEC": "200000"]
}

extension NotifyListener {
    /// How many lines have come that begin so.
    fileprivate func count(of line: String) -> Int { lines.count { $0.hasPrefix(line) } }
}
