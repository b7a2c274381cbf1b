import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("A pool keeps what is retained, also before its file comes", .timeLimit(.minutes(10)))
struct CachePoolRetainTests {
    private let bench: Bench
    private let pool: CachePool
    private let other: HTTPURL

    init() throws {
        bench = try Bench()
        pool = bench.client().cache("pool")
        other = try HTTPURL(parsing: "http://origin.example/other")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"other\""), at: other)
    }

    private var key: CacheKey { .url(bench.url) }
    private var names: [String] { bench.files.names(in: "/cache/pool") }

    /// Leaves room for this many files.
    private func limit(to count: Int64) async throws {
        var edit = CacheEdit()
        edit.maxBytes = count * 10_000
        try await pool.edit(edit)
    }

    private func run() async throws { try await bench.engine(.everything(untilDrained: true)).run() }

    /// Brings a file, later than all that are there.
    private func bring(_ url: HTTPURL) async throws {
        bench.clock.advance(by: .seconds(1))
        try await bench.add(url, to: pool)
        try await run()
    }

    @Test("no other download evicts it before it is released; then the pool keeps its limit")
    func retainsWhatIsToCome() async throws {
        try await limit(to: 1)
        try await bench.add(bench.url, to: pool)
        let retain = try #require(try await pool.retainExpected(key))
        try await run()
        try await bring(other)
        #expect(names.count == 2)
        #expect(try bench.bytes(of: try await pool.entry(for: key)) == bench.bytes)
        try await retain.release()
        #expect(try await pool.entry(for: key) == nil)
        #expect(try await pool.entry(for: .url(other)) != nil && names.count == 1)
    }

    @Test("what another process removes as soon as it has come is there until it is released")
    func retainsWhatIsRemoved() async throws {
        try await bench.add(bench.url, to: pool)
        let retain = try #require(try await pool.retainExpected(key))
        try await run()
        #expect(try await bench.client().cache("pool").removeAll() == 1)
        #expect(try await pool.take(key, CacheOptions()) == nil, "it is served to no one else")
        let entry = try await pool.take(key, CacheOptions(), retainedBy: retain)
        #expect(try bench.bytes(of: entry) == bench.bytes)
        try await retain.release()
        #expect(try await bench.store.entries(EntryFilter(), after: 0, limit: 9) == [] && names == [])
    }

    @Test("a release makes no room for an entry that is too large for its pool")
    func leavesTheTooLarge() async throws {
        try await limit(to: 0)
        try await bench.add(bench.url, to: pool)
        let retain = try #require(try await pool.retainExpected(key))
        try await run()
        try await retain.release()
        #expect(try bench.bytes(of: try await pool.entry(for: key)) == bench.bytes)
    }

    @Test("a release evicts nothing while the pool keeps its limit without an entry that is too large")
    func evictsNothingBesidesTheTooLarge() async throws {
        try await limit(to: 1)
        try await bring(bench.url)
        let retain = try #require(try await pool.retain(key))
        bench.transport.set(ScriptedResource(bench.bytes + [0], entityTag: "\"large\""), at: other)
        try await bring(other)
        try await retain.release()
        #expect(try await pool.entry(for: key) != nil)
        #expect(try await pool.entry(for: .url(other)) != nil && names.count == 2)
    }

    @Test("what a release has evicted is deleted by the next start if its process could not do that")
    func deletesAtTheNextStart() async throws {
        try await limit(to: 1)
        try await bring(bench.url)
        let retain = try #require(try await pool.retain(key))
        try await bring(other)
        bench.files.inject(FileFault(.removePart))
        try await retain.release()
        #expect(try await pool.entry(for: key) == nil && names.count == 2)
        try await bench.engine().cleanUp()
        #expect(try await pool.entry(for: .url(other)) != nil && names.count == 1)
    }

    @Test("a release that could not be recorded can be repeated, and one that was recorded counts once")
    func repeatsARelease() async throws {
        try await bring(bench.url)
        let client = bench.client().cache("pool")
        let one = try #require(try await client.retain(key))
        let two = try #require(try await client.retain(key))
        #expect(try await pool.remove(key))
        let full = StoreError.writeFailed(path: "/s", "no space", isDiskFull: true)
        bench.store.failNextWrite(with: full)
        await #expect(throws: full) { try await one.release() }
        try await one.release()
        try await one.release()
        #expect(names.count == 1, "the other one retains it")
        // The release is recorded, and the end of the deletion is not.
        bench.store.failNextWrite(with: full, after: 1)
        await #expect(throws: full) { try await two.release() }
        #expect(names == [])
        try await pool.trim()
        #expect(try await bench.store.entries(EntryFilter(), after: 0, limit: 9) == [])
    }

    @Test("a file that an application adds stays, also if what is retained fills the pool")
    func keepsWhatWasAdded() async throws {
        try await limit(to: 1)
        try await bring(bench.url)
        let retain = try #require(try await pool.retain(key))
        bench.clock.advance(by: .seconds(1))
        let own = try await pool.add(LatePart(bytes: bench.bytes) {}, as: .text("own"))
        #expect(own.retains == 0 && names.count == 2)
        #expect(try bench.bytes(of: own) == bench.bytes)
        try await retain.release()
        #expect(try await pool.entry(for: .text("own")) == own && names.count == 1)
    }

    @Test(
        "a file is not added, and not left, if its process was taken for dead meanwhile",
        arguments: [nil, "/own"]
    )
    func leavesNothingThatIsNotAdded(_ directory: String?) async throws {
        var edit = CacheEdit()
        edit.directory = .some(directory)
        try await pool.edit(edit)
        let process = bench.machine.spawn()
        let late = LatePart(bytes: bench.bytes) { [bench, pool] in
            bench.machine.kill(process)
            try await pool.trim()
        }
        await #expect(throws: StoreError.ownerRemoved) {
            try await bench.client(as: process).cache("pool").add(late, as: .text("own"))
        }
        #expect(try await pool.entry(for: .text("own")) == nil)
        #expect(bench.files.names(in: directory ?? "/cache/pool") == [])
    }

    @Test("what a killed process retained before its file came is free")
    func freesWhatTheDeadAwaited() async throws {
        try await limit(to: 1)
        let process = bench.machine.spawn()
        try await bench.add(bench.url, to: pool)
        let awaiting = bench.client(as: process).cache("pool")
        _ = try #require(try await awaiting.retainExpected(key))
        try await run()
        try await bring(other)
        #expect(names.count == 2)
        bench.machine.kill(process)
        try await bench.engine().cleanUp()
        #expect(try await pool.entry(for: key) == nil && names.count == 1)
        #expect(try await pool.trim() == 0)
    }

    @Test("an entry that is leaving, and comes again, can be retained for that")
    func retainsWhatComesAgain() async throws {
        try await bring(bench.url)
        let user = try #require(try await pool.retain(key))
        #expect(try await pool.remove(key))
        #expect(try await pool.retainExpected(key) == nil, "nothing is to come")
        try await bench.add(bench.url, to: pool)
        let retain = try #require(try await pool.retainExpected(key))
        #expect(try await pool.retain(key) == nil, "it is still leaving")
        try await user.release()
        #expect(names.count == 1)
        try await run()
        try await limit(to: 1)
        try await bring(other)
        #expect(try bench.bytes(of: try await pool.entry(for: key)) == bench.bytes)
        try await retain.release()
        #expect(try await pool.entry(for: key) == nil && names.count == 1)
    }

    @Test("a cancelled download leaves no entry after the release")
    func forgetsWhatDoesNotCome() async throws {
        let id = try await bench.add(bench.url, to: pool)
        let retain = try #require(try await pool.retainExpected(key))
        _ = try await bench.store.ask(.cancel(keepingPart: false), of: id, at: bench.clock.now)
        #expect(try await bench.store.entries(EntryFilter(), after: 0, limit: 9).count == 1)
        try await retain.release()
        #expect(try await bench.store.entries(EntryFilter(), after: 0, limit: 9) == [])
    }

    @Test("that there is none is no answer for a caller who did not ask for that")
    func asksDespiteAnAbsence() async throws {
        bench.transport.set(nil, at: bench.url)
        var options = CacheOptions()
        options.cachesAbsence = true
        let (url, asked) = (bench.url, options)
        let engine = bench.engine(.everything(untilDrained: false))
        let none = try await bench.running(engine) { try await engine.cache("pool").get(url, options: asked) }
        #expect(none == nil)
        guard case .present = try await pool.prepare(url, asked) else {
            Issue.record("the absence is not fresh")
            return
        }
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: url)
        try await bring(url)
        #expect(try bench.bytes(of: try await pool.entry(for: key)) == bench.bytes)
    }
}

/// The only part of a file. Something happens before it comes.
private struct LatePart: AsyncSequence {
    let bytes: [UInt8]
    let isComing: @Sendable () async throws -> Void

    init(bytes: [UInt8], isComing: @escaping @Sendable () async throws -> Void) {
        (self.bytes, self.isComing) = (bytes, isComing)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var rest: LatePart?

        mutating func next() async throws -> [UInt8]? {
            guard let part = rest else { return nil }
            rest = nil
            try await part.isComing()
            return part.bytes
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: self) }
}
