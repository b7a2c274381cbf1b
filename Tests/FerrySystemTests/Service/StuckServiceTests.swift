import Glibc
import Testing

/// A service whose engine is stuck, because another process holds the store's write lock.
@Suite(
    "A stuck service",
    .limitedParallelism,
    .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
)
struct StuckServiceTests {
    static let content = Content(count: 4 * .mebibyte, seed: 521)

    @Test("it resumes when the store is free again, and notifies its watchdog")
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

    @Test("it still stops in time, and its transfers resume from their last record")
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
                let outcome = try await service.outcome()
                outcome.expect(7)
                #expect(outcome.errors.contains("did not stop in time"), "\(outcome.errors)")
                #expect(manager.lines.contains("STOPPING=1"))
                // One notification may have been in flight when the lock was taken. A healthy service would send dozens
                // during the seconds of this stop.
                #expect(manager.count(of: "WATCHDOG=1") <= heard + 1)

                lock.release()
                let before = relay.passed
                try await sandbox.ferry("run").expect(0)
                try sandbox.expectOnly("file.bin", Self.content)
                #expect(relay.passed - before < Self.content.count - half.received + 64 * .kibibyte)
            }
        }
    }

    /// The environment of a watchdog that expects ten notifications per second.
    static let watched = ["WATCHDOG_USEC": "200000"]
}

extension NotifyListener {
    /// How many received lines begin with this prefix.
    fileprivate func count(of line: String) -> Int { lines.count { $0.hasPrefix(line) } }
}
