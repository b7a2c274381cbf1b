import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Synchronization
import Testing

@Suite("A fresh URL for one that has expired", .timeLimit(.minutes(10)))
struct RefreshingTests {
    /// A URL that is signed, and works for the first 4,000 bytes.
    private struct Signed {
        let bench: Bench
        let old: HTTPURL
        let fresh: HTTPURL

        init() throws {
            bench = try Bench()
            old = try HTTPURL(parsing: "http://origin.example/file.bin?X-Amz-Signature=old&X-Amz-Expires=1")
            fresh = try HTTPURL(parsing: "http://origin.example/file.bin?X-Amz-Signature=new&X-Amz-Expires=1")
            let resource = ScriptedResource(bench.bytes, entityTag: "\"v1\"")
            bench.transport.set(resource, at: old)
            bench.transport.set(resource, at: fresh)
            bench.transport.order(.breakAfter(4_000), at: old)
            for _ in 0..<5 { bench.transport.order(.answer(status: 403, [:]), at: old) }
        }
    }

    private struct Refused: Error {}

    @Test func theBytesAreKeptAndTheFreshURLIsRecorded() async throws {
        let signed = try Signed()
        let bench = signed.bench
        let asked = Mutex<[HTTPURL]>([])
        let fresh = signed.fresh
        let engine = bench.engine(refreshURL: { _, old in
            asked.withLock { $0.append(old) }
            return fresh
        })
        let handle = try await engine.download(from: signed.old, to: bench.destination)
        try await bench.running(engine) {
            _ = await handle.reaches(.waiting)
            bench.clock.advance(by: .seconds(2))
            let length = try await handle.value().length
            #expect(length == 10_000)
        }
        #expect(asked.withLock { $0 } == [signed.old])
        // A completed transfer keeps no signature.
        let recorded = try await handle.snapshot.specification.url
        #expect(recorded.redacted == signed.fresh.redacted && recorded != signed.fresh)
        let last = try #require(bench.transport.requests.last)
        #expect(last.url == signed.fresh && last.headers[.range] != nil)
        #expect(try bench.published == bench.bytes)
    }

    @Test func aURLThatHasExpiredIsExchangedBeforeTheFirstRequest() async throws {
        let bench = try Bench()
        let signed = "http://origin.example/file.bin?X-Amz-Date=20200101T000000Z&X-Amz-Signature="
        let old = try HTTPURL(parsing: signed + "old&X-Amz-Expires=1")
        let fresh = try HTTPURL(parsing: signed + "new&X-Amz-Expires=604800000")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: fresh)
        let engine = bench.engine(refreshURL: { _, _ in fresh })
        let handle = try await engine.download(from: old, to: bench.destination)
        try await bench.running(engine) {
            let length = try await handle.value().length
            #expect(length == 10_000)
        }
        #expect(Set(bench.transport.requests.map(\.url)) == [fresh])
    }

    static let useless: [@Sendable (HTTPURL) throws -> HTTPURL] = [
        { _ in throw Refused() }, { $0 },
        { _ in try HTTPURL(parsing: "http://origin.example/gone?X-Amz-Signature=a&X-Amz-Expires=1") },
    ]

    @Test(arguments: useless.indices)
    func withoutAFreshURLThatBringsBytesItIsAskedAsOftenAsRetriesSayAndThenWaitsForAPerson(
        _ number: Int
    ) async throws {
        let signed = try Signed()
        let bench = signed.bench
        let gone = try HTTPURL(parsing: "http://origin.example/gone?X-Amz-Signature=a&X-Amz-Expires=1")
        for _ in 0..<5 { bench.transport.order(.answer(status: 403, [:]), at: gone) }
        let count = Mutex(0)
        let engine = bench.engine(refreshURL: { _, old in
            count.withLock { $0 += 1 }
            return try Self.useless[number](old)
        })
        var options = DownloadOptions()
        options.retries = 1
        let handle = try await engine.download(from: signed.old, to: bench.destination, options: options)
        // The attempt ends, because the user must act.
        try await bench.advancing { try await engine.run() }
        // The refresher gave an expired URL, was asked for another one, and gave the same.
        #expect(count.withLock { $0 } == 2)
        let left = try await handle.snapshot
        #expect(left.state == .waiting(.newURL) && left.downloadProgress.segments.received == 4_000)
    }

    /// A refresher that answers only when it is cancelled.
    private final class Silent: Sendable {
        let asked: AsyncStream<Void>
        private let asking: AsyncStream<Void>.Continuation
        let isCancelled = Mutex(false)

        init() { (asked, asking) = AsyncStream.makeStream() }

        func answer() async throws -> HTTPURL {
            asking.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            isCancelled.withLock { $0 = true }
            throw CancellationError()
        }
    }

    @Test(arguments: [EngineConfiguration.Scope.followed, .everything(untilDrained: false)])
    func oneThatDoesNotAnswerHoldsUpNeitherAPauseNorTheEnd(_ scope: EngineConfiguration.Scope) async throws {
        let signed = try Signed()
        let bench = signed.bench
        let silent = Silent()
        let engine = bench.engine(scope, refreshURL: { _, _ in try await silent.answer() })
        bench.transport.order(.answer(status: 403, [:]), at: bench.url)
        let handle = try await engine.download(from: signed.old, to: bench.destination)
        try await bench.running(engine) {
            try await bench.advancing { for await _ in silent.asked { return } }
            // It does not delay a stop in the background, and a pause takes effect.
            await engine.applicationDidEnterBackground(.stop)
            try await handle.pause()
            #expect(try await handle.snapshot.state == .paused)
        }
        #expect(silent.isCancelled.withLock { $0 })
    }

    @Test func oneThatTakesTooLongIsCancelledAndAskedAgain() async throws {
        let signed = try Signed()
        let bench = signed.bench
        let silent = Silent()
        let count = Mutex(0)
        let fresh = signed.fresh
        let engine = bench.engine(refreshURL: { _, _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? try await silent.answer() : fresh
        })
        let handle = try await engine.download(from: signed.old, to: bench.destination)
        try await bench.running(engine) {
            let length = try await bench.advancing { try await handle.value().length }
            #expect(length == 10_000)
        }
        // The clock may also run ahead of the second answer.
        #expect(count.withLock { $0 } >= 2)
        #expect(silent.isCancelled.withLock { $0 })
    }

    @Test(arguments: [true, false])
    func whatWaitedBeforeIsTakenUp(_ isDrained: Bool) async throws {
        let signed = try Signed()
        let bench = signed.bench
        let process = bench.machine.spawn()
        let first = bench.engine(as: process)
        let handle = try await first.download(from: signed.old, to: bench.destination)
        async let work: Void = first.run()
        _ = await handle.reaches(.waiting)
        bench.clock.advance(by: .seconds(2))
        // The attempt ends, because the user must act.
        try await work
        #expect(try await handle.snapshot.state == .waiting(.newURL))
        // While it lives, it keeps the transfers that it holds.
        bench.machine.kill(process)

        let fresh = signed.fresh
        let engine = bench.engine(.everything(untilDrained: isDrained), refreshURL: { _, _ in fresh })
        async let again: Void = engine.run()
        if !isDrained {
            _ = await engine.transfer(handle.id).reaches(.completed)
            engine.stop()
        }
        try await again
        #expect(try await handle.snapshot.state == .completed)
        #expect(try bench.published == bench.bytes)
    }
}
