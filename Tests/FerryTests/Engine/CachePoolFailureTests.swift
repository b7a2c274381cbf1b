import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("A failed fetch leaves an entry of a pool as it was", .timeLimit(.minutes(10)))
struct CachePoolFailureTests {
    private let bench: Bench
    private let right: Checksum
    private let wrong: Checksum

    init() throws {
        bench = try Bench()
        right = ReferenceDigest.digest(.sha256, of: bench.bytes)
        wrong = ReferenceDigest.digest(.sha256, of: [0])
    }

    private var requests: Int { bench.transport.requests.count }

    /// Gets the file as a process that runs the queue, and ends.
    @discardableResult
    private func get(requiring checksum: Checksum? = nil) async throws -> CacheEntry {
        var options = CacheOptions()
        options.download.checksum = checksum
        return try await bench.get(options)
    }

    /// Gets the file with a digest that it does not have.
    private func getWrongly() async throws {
        let count = requests
        do {
            try await get(requiring: wrong)
            Issue.record("a file with another digest was served")
        } catch let failure as TransferFailure {
            #expect(failure.code == .checksumMismatch)
        }
        #expect(requests > count, "the server may have the file with this digest")
        #expect(bench.files.names(in: "/cache/pool").allSatisfy { !$0.hasSuffix(".part") })
    }

    private func grow() { bench.clock.advance(by: .seconds(2 * 86_400)) }

    @Test("without an entry, a wrong digest counts for its own caller only", arguments: [false, true])
    func forgetsTheDigestOfAFailure(_ requiresRight: Bool) async throws {
        try await getWrongly()
        #expect(try bench.bytes(of: try await get(requiring: requiresRight ? right : nil)) == bench.bytes)
        let count = requests
        #expect(try bench.bytes(of: try await get(requiring: right)) == bench.bytes)
        #expect(requests == count)
    }

    @Test("a fresh entry is served as before, and then revalidated as before")
    func keepsTheEntry() async throws {
        let first = try await get()
        try await getWrongly()
        let count = requests
        for checksum in [nil, right] {
            let again = try await get(requiring: checksum)
            #expect(again.path == first.path && again.checked == first.checked)
        }
        #expect(requests == count)
        grow()
        #expect(try await get().isFresh)
        #expect(requests == count + 1)
        #expect(bench.transport.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
        #expect(try bench.bytes(of: first) == bench.bytes)
    }

    @Test("a new version is taken after a wrong digest was required of it")
    func takesANewVersion() async throws {
        try await get()
        grow()
        let new = Array(bench.bytes.reversed())
        bench.transport.set(ScriptedResource(new, entityTag: "\"v2\""), at: bench.url)
        try await getWrongly()
        #expect(try bench.bytes(of: try await get()) == new)
    }

    @Test(
        "a stale entry is revalidated, whether its next caller gives the digest or not",
        arguments: [false, true]
    )
    func revalidatesWhatWasVerified(_ isRequiredAgain: Bool) async throws {
        try await get(requiring: right)
        grow()
        #expect(try await get(requiring: isRequiredAgain ? right : nil).isFresh)
        #expect(bench.transport.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
    }

    @Test("a file without the digest is not up to date, although a failed download would have asked for that")
    func verifiesAfterAFailedRevalidation() async throws {
        try await get()
        grow()
        bench.transport.set(nil, at: bench.url)
        await #expect(throws: TransferFailure.self) { try await get() }
        #expect(bench.transport.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: bench.url)
        try await getWrongly()
        #expect(bench.transport.requests.last?.headers[.ifNoneMatch] == nil)
        #expect(try await get(requiring: right).isFresh)
    }
}
