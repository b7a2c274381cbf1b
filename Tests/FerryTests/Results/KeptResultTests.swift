import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("A small result is cached as long as its server allows", .timeLimit(.minutes(10)))
struct KeptResultTests {
    private let bench: Bench
    private let engine: TransferEngine

    init() throws {
        bench = try Bench()
        engine = bench.engine()
    }

    /// The conditions of each request so far.
    private var conditions: [String?] {
        bench.transport.requests.map { $0.headers[.ifNoneMatch] ?? $0.headers[.ifModifiedSince] }
    }

    @Test func whatHasNotChangedIsNotSentAgain() async throws {
        let first = try await engine.data(from: bench.url, limit: 20_000)
        bench.transport.order(.answer(status: 304, [.eTag: "\"v1\""]), at: bench.url)
        #expect(try await engine.data(from: bench.url, limit: 20_000) == first)
        #expect(first == bench.bytes && conditions == [nil, "\"v1\""])
    }

    @Test func whatHasChangedTakesItsPlace() async throws {
        _ = try await engine.data(from: bench.url, limit: 20_000)
        bench.transport.set(ScriptedResource([1, 2, 3], entityTag: "\"v2\""), at: bench.url)
        #expect(try await engine.data(from: bench.url, limit: 20_000) == [1, 2, 3])
        bench.transport.order(.answer(status: 304, [:]), at: bench.url)
        #expect(try await engine.data(from: bench.url, limit: 20_000) == [1, 2, 3])
        #expect(conditions == [nil, "\"v1\"", "\"v2\""])
    }

    @Test func aFailureIsNoResultAndLeavesWhatIsKept() async throws {
        _ = try await engine.data(from: bench.url, limit: 20_000)
        bench.transport.order(.answer(status: 500, [:]), at: bench.url)
        await #expect(throws: TransferFailure.self) { try await engine.data(from: bench.url, limit: 20_000) }
        bench.transport.order(.answer(status: 304, [:]), at: bench.url)
        #expect(try await engine.data(from: bench.url, limit: 20_000) == bench.bytes)
    }

    @Test func aValidatorOfAnotherResourceProvesNothing() async throws {
        let entrance = try HTTPURL(parsing: "http://origin.example/entrance")
        let other = try HTTPURL(parsing: "http://other.example/else")
        var redirect = ScriptedResource([])
        redirect.redirect = (302, bench.url.absoluteString)
        bench.transport.set(redirect, at: entrance)
        #expect(try await engine.data(from: entrance, limit: 20_000) == bench.bytes)
        redirect.redirect = (302, other.absoluteString)
        bench.transport.set(redirect, at: entrance)
        bench.transport.set(ScriptedResource([7], entityTag: "\"v1\""), at: other)
        bench.transport.order(.answer(status: 304, [.eTag: "\"v1\""]), at: other)
        #expect(try await engine.data(from: entrance, limit: 20_000) == [7])
    }

    @Test func anAnswerToAConditionThatNobodySetIsNone() async throws {
        bench.transport.order(.answer(status: 304, [:]), at: bench.url)
        await #expect(throws: TransferFailure.self) { try await engine.data(from: bench.url, limit: 20_000) }
        #expect(conditions == [nil])
    }

    @Test func whatMustNotBeKeptOrCannotBeToldApartIsFetchedAnew() async throws {
        var secret = ScriptedResource([1], entityTag: "\"a\"")
        secret.headers[.cacheControl] = "private, No-Store"
        var varying = ScriptedResource([2], entityTag: "\"a\"")
        varying.headers[.vary] = "*"
        let now = bench.clock.now.httpDate
        for resource in [secret, varying, ScriptedResource([3]), ScriptedResource([4], lastModified: now)] {
            bench.transport.set(resource, at: bench.url)
            for _ in 0..<2 {
                #expect(try await engine.data(from: bench.url, limit: 9) == resource.bytes)
            }
        }
        #expect(conditions == [String?](repeating: nil, count: 8))
    }

    @Test func isNotUsedForOtherCredentialsNorBeyondTheLimit() async throws {
        var options = DownloadOptions()
        options.credentials = .bearer(token: "one")
        _ = try await engine.data(from: bench.url, limit: 20_000, options: options)
        options.credentials = .bearer(token: "two")
        _ = try await engine.data(from: bench.url, limit: 20_000, options: options)
        await #expect(throws: TransferFailure.self) {
            try await engine.data(from: bench.url, limit: 9_999, options: options)
        }
        #expect(conditions == [nil, nil, nil])
    }

    @Test func noMoreIsKeptThanMayBe() async throws {
        let engine = bench.engine(resultMemory: 30_000)
        let urls = try (0..<4).map { try HTTPURL(parsing: "http://origin.example/\($0)") }
        for url in urls {
            bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: url)
        }
        // Only two fit. The most recently used one stays.
        for index in [0, 1, 0, 2, 0, 1] { _ = try await engine.data(from: urls[index], limit: 20_000) }
        let tag: String? = "\"v1\""
        #expect(conditions == [nil, nil, tag, nil, tag, nil])
    }
}
