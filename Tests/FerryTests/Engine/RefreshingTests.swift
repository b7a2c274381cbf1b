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
            _ = await handle.reaches("waiting")
            bench.clock.advance(by: .seconds(2))
            let length = try await handle.value().length
            #expect(length == 10_000)
        }
        #expect(asked.withLock { $0 } == [signed.old])
        #expect(try await handle.snapshot.specification.url == signed.fresh)
        let last = try #require(bench.transport.requests.last)
        #expect(last.url == signed.fresh && last.headers[.range] != nil)
        #expect(try bench.published == bench.bytes)
    }

    static let useless: [@Sendable (HTTPURL) throws -> HTTPURL] = [
        { _ in throw Refused() }, { $0 },
        { _ in try HTTPURL(parsing: "http://origin.example/gone?X-Amz-Signature=a&X-Amz-Expires=1") },
    ]

    @Test(arguments: useless.indices)
    func withoutAFreshURLThatBringsBytesItWaitsForAPerson(_ number: Int) async throws {
        let signed = try Signed()
        let bench = signed.bench
        let gone = try HTTPURL(parsing: "http://origin.example/gone?X-Amz-Signature=a&X-Amz-Expires=1")
        for _ in 0..<5 { bench.transport.order(.answer(status: 403, [:]), at: gone) }
        let count = Mutex(0)
        let engine = bench.engine(refreshURL: { _, old in
            count.withLock { $0 += 1 }
            return try Self.useless[number](old)
        })
        let handle = try await engine.download(from: signed.old, to: bench.destination)
        try await bench.running(engine) {
            _ = await handle.reaches("waiting")
            bench.clock.advance(by: .seconds(2))
            for await update in handle.events where update.transfer.state == .waiting(.newURL) { break }
        }
        #expect(count.withLock { $0 } == 1)
        #expect(try await handle.snapshot.checkpoint.segments.received == 4_000)
    }
}
