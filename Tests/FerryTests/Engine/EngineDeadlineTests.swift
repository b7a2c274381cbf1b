import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// On the bench's clock it is 22:13:20 on a Tuesday.
@Suite("Transfers fail at their deadline", .timeLimit(.minutes(10)))
struct EngineDeadlineTests {
    private static let start = Instant(seconds: 1_700_000_000)
    private static let deadline = start.advanced(by: .seconds(100))

    private func options(_ window: String = "off") throws -> DownloadOptions {
        var options = DownloadOptions()
        options.notAfter = Self.deadline
        options.window = try TimeWindow(parsing: window)
        return options
    }

    private func hasFailedAtDeadline(_ transfer: Transfer) -> Bool {
        guard case .failed(let failure) = transfer.state, let finished = transfer.finished else {
            return false
        }
        return failure.code == .deadlinePassed && finished >= Self.deadline
    }

    @Test(arguments: [EngineConfiguration.Scope.followed, .everything(untilDrained: false)])
    func offline(_ scope: EngineConfiguration.Scope) async throws {
        let bench = try Bench()
        bench.network.lose()
        bench.transport.order(.refuse(.condition(.network, .networkUnreachable, "No route.")), at: bench.url)
        let engine = bench.engine(scope)
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options())
        try await bench.running(engine) {
            _ = await handle.reaches(.waiting)
            try await bench.advance { try await handle.snapshot.state.name == .failed }
        }
        #expect(hasFailedAtDeadline(try await handle.snapshot))
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: ["window", "queue", "dependency", "slots", "background"])
    func behind(_ obstacle: String) async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false), slots: 1)
        let other = try HTTPURL(parsing: "http://origin.example/other.bin")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: other)
        bench.transport.order(.stallAfter(4_000), at: other)
        let directory = Destination.file(directory: "/d", name: nil)
        try await bench.running(engine) {
            let first = try await engine.download(from: other, to: directory)
            try await bench.transport.nextStall()
            if obstacle == "queue" {
                var edit = QueueEdit()
                edit.isPaused = true
                _ = try await bench.store.edit(queue: "later", edit, at: bench.clock.now)
            }
            let handle = try await engine.download(
                from: bench.url,
                to: bench.destination,
                options: options(obstacle == "window" ? "23:00-23:30" : "off"),
                queue: obstacle == "queue" ? "later" : NewTransfer.defaultQueue,
                after: obstacle == "dependency" ? [first.id] : []
            )
            if obstacle == "background" { await engine.applicationDidEnterBackground(.stop) }
            let failure = Task { try await handle.value() }
            try await bench.advance { try await handle.snapshot.state.name == .failed }
            #expect(hasFailedAtDeadline(try await handle.snapshot))
            let thrown = await #expect(throws: TransferFailure.self) { try await failure.value }
            #expect(thrown?.code == .deadlinePassed, "its caller is told")
        }
        #expect(bench.transport.requests.count == 1)
    }

    /// What fails with it has no attempt that could tell.
    @Test func callersOfWhatFailsWithItAreTold() async throws {
        let bench = try Bench()
        bench.network.lose()
        bench.transport.order(.refuse(.condition(.network, .networkUnreachable, "No route.")), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let head = try await engine.download(from: bench.url, to: bench.destination, options: options())
        var last = head
        var callers: [Task<CompletedDownload, any Error>] = []
        for name in ["second", "third"] {
            let url = try HTTPURL(parsing: "http://origin.example/\(name)")
            let handle = try await engine.download(
                from: url,
                to: .file(directory: "/d", name: nil),
                after: [last.id]
            )
            callers.append(Task { try await handle.value() })
            last = handle
        }
        let waiting = callers
        try await bench.running(engine) {
            _ = await head.reaches(.waiting)
            try await bench.advance { try await head.snapshot.state.name == .failed }
            for caller in waiting {
                let thrown = await #expect(throws: TransferFailure.self) { try await caller.value }
                #expect(thrown?.code == .dependencyFailed)
            }
        }
    }

    @Test func anAttemptThatRunsIsFinishedAndNoOtherBegins() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        bench.transport.order(.timeOutAfter(4_000, .seconds(200)), at: bench.url)
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options())
        try await bench.advancing { try await engine.run() }
        let failed = try await handle.snapshot
        guard case .failed(let failure) = failed.state else {
            Issue.record("\(failed.state)")
            return
        }
        #expect(failure.code == .deadlinePassed && failure.cause == .timeout)
        #expect(failed.finished ?? .epoch >= Self.start.advanced(by: .seconds(200)))
        #expect(bench.transport.requests.count == 1)
    }
}
