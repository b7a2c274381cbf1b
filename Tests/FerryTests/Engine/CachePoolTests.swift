import Ferry
import FerryCore
import FerryTesting
import Synchronization
import Testing

@Suite("A pool serves files, and deletes them when it may", .timeLimit(.minutes(10)))
struct CachePoolTests {
    private let bench: Bench
    private let pool: CachePool

    init() throws {
        bench = try Bench()
        pool = bench.client().cache("pool")
    }

    private var key: CacheKey { .url(bench.url) }
    private var requests: Int { bench.transport.requests.count }

    /// Runs an engine while `body` uses its pool.
    private func running<Result: Sendable>(
        _ body: (CachePool, TransferEngine) async throws -> Result
    ) async throws -> Result {
        let engine = bench.engine(.everything(untilDrained: false))
        let work = Task { try await engine.run() }
        do {
            let result = try await body(engine.cache("pool"), engine)
            engine.stop()
            try await work.value
            return result
        } catch {
            engine.stop()
            try await work.value
            throw error
        }
    }

    private func get(
        _ url: HTTPURL? = nil,
        _ options: CacheOptions = CacheOptions()
    ) async throws -> CacheEntry? {
        let url = url ?? bench.url
        return try await running { pool, _ in try await pool.get(url, options: options) }
    }

    /// Other resources, with their URLs.
    private func others(_ count: Int) throws -> [HTTPURL] {
        try (0..<count).map { number in
            let url = try HTTPURL(parsing: "http://origin.example/other-\(number)")
            bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"\(number)\""), at: url)
            return url
        }
    }

    @Test("a fresh entry is served without a request")
    func servesTheFresh() async throws {
        let first = try #require(try await get())
        #expect(
            try bench.bytes(of: first) == bench.bytes && first.bytes == 10_000 && first.entityTag == "\"v1\""
        )
        #expect(first.path?.hasPrefix("/cache/pool/") == true && first.mode == .cached && first.isFresh)
        let count = requests
        bench.clock.advance(by: .seconds(60))
        let second = try #require(try await get())
        #expect(requests == count && second.path == first.path)
        #expect(second.used == bench.clock.now && second.checked == first.checked)
        #expect(try await pool.size.cachedBytes == 10_000)
    }

    @Test("a stale entry is revalidated by its ETag, and fresh again")
    func revalidates() async throws {
        let first = try #require(try await get())
        bench.clock.advance(by: .seconds(2 * 86_400))
        #expect(try await pool.entry(for: key)?.isFresh == false)
        let second = try #require(try await get())
        #expect(bench.transport.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
        #expect(second.path == first.path && second.checked == bench.clock.now && second.isFresh)
    }

    @Test("a stale entry is revalidated also when its transfer was forgotten")
    func revalidatesByTheEntry() async throws {
        _ = try await get()
        let known = try await bench.store.transfers(.all, after: nil, limit: 9)
        try await bench.store.forget(known.map(\.id))
        bench.clock.advance(by: .seconds(2 * 86_400))
        #expect(try await get()?.isFresh == true)
        #expect(bench.transport.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
    }

    @Test("a new version takes the place of a stale one")
    func takesANewVersion() async throws {
        let first = try #require(try await get())
        let new = Array(bench.bytes.reversed())
        bench.transport.set(ScriptedResource(new, entityTag: "\"v2\""), at: bench.url)
        #expect(try bench.bytes(of: try await get()) == bench.bytes, "as long as it is fresh")
        bench.clock.advance(by: .seconds(2 * 86_400))
        let second = try #require(try await get())
        #expect(
            try bench.bytes(of: second) == new && second.path == first.path && second.entityTag == "\"v2\""
        )
    }

    @Test("a stale entry is handed out at once, if that was asked for")
    func servesTheStale() async throws {
        _ = try await get()
        let new = Array(bench.bytes.reversed())
        bench.transport.set(ScriptedResource(new, entityTag: "\"v2\""), at: bench.url)
        bench.clock.advance(by: .seconds(2 * 86_400))
        var options = CacheOptions()
        options.servesStale = true
        let url = bench.url
        try await running { pool, engine in
            let stale = try #require(try await pool.get(url, options: options))
            #expect(stale.entityTag == "\"v1\"" && !stale.isFresh)
            // The download that it has begun is shared.
            #expect(try await pool.get(url)?.entityTag == "\"v2\"")
            // Its caller can wait for the new version.
            let id = try #require(stale.revalidation)
            #expect(try await engine.transfer(id).snapshot.state == .completed)
        }
    }

    @Test("a file that is gone or was changed is not served, but downloaded again")
    func doesNotServeTheLost() async throws {
        let first = try #require(try await get())
        let path = try #require(first.path)
        let name = try FileName(userGiven: String(path.dropFirst("/cache/pool/".count)))
        for change in [
            { self.bench.files.remove(name, in: "/cache/pool") },
            { self.bench.files.rewrite(name, in: "/cache/pool", with: [1, 2, 3]) },
        ] {
            change()
            let count = requests
            #expect(try await pool.entry(for: key) == nil)
            #expect(try await pool.pin(key) == nil)
            let again = try #require(try await get())
            #expect(requests > count)
            #expect(try bench.bytes(of: again) == bench.bytes)
            #expect(try await pool.size.cachedCount == 1)
        }
    }

    @Test("that there is none is served, too, if that was asked for")
    func servesAbsence() async throws {
        bench.transport.set(nil, at: bench.url)
        await #expect(throws: TransferFailure.self) { try await get() }
        var options = CacheOptions()
        options.cachesAbsence = true
        #expect(try await get(nil, options) == nil)
        let count = requests
        #expect(try await get(nil, options) == nil)
        #expect(requests == count, "it is still fresh")
        let entry = try #require(try await pool.entry(for: key))
        #expect(entry.path == nil && entry.bytes == 0)
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: bench.url)
        bench.clock.advance(by: .seconds(2 * 86_400))
        #expect(try bench.bytes(of: try await get(nil, options)) == bench.bytes)
    }

    @Test("the least recently used files are deleted after each download")
    func evicts() async throws {
        var edit = CacheEdit()
        edit.maxBytes = 25_000
        try await pool.edit(edit)
        let urls = try others(4)
        var paths: [String] = []
        for url in urls {
            paths.append(try #require(try await get(url)?.path))
            bench.clock.advance(by: .seconds(1))
        }
        #expect(bench.files.names(in: "/cache/pool").count == 2)
        #expect(try await pool.entry(for: .url(urls[1])) == nil)
        #expect(try await pool.entry(for: .url(urls[3]))?.path == paths[3])
        #expect(try await pool.size.cachedBytes == 20_000)
    }

    @Test("what is pinned stays, and is evicted after it was unpinned")
    func keepsThePinned() async throws {
        var options = CacheOptions()
        options.mode = .persistent
        let pinned = try #require(try await get(nil, options))
        #expect(pinned.mode == .persistent)
        var edit = CacheEdit()
        edit.maxBytes = 0
        try await pool.edit(edit)
        #expect(try await pool.trim() == 0)
        #expect(try await get()?.mode == .persistent)
        #expect(try await pool.unpin(key)?.mode == .cached)
        #expect(try await pool.trim() == 1)
        #expect(bench.files.names(in: "/cache/pool") == [])
    }

    @Test("a retained file is deleted at its last release")
    func retains() async throws {
        _ = try await get()
        let client = bench.client()
        let other = bench.client().cache("pool")
        let one = try #require(try await client.cache("pool").retain(key))
        let two = try #require(try await other.retain(key))
        #expect(try await pool.remove(key))
        #expect(try await pool.entry(for: key) == nil, "it is on its way out")
        #expect(try await pool.retain(key) == nil)
        #expect(try bench.bytes(of: one.entry) == bench.bytes)
        try await one.release()
        try await one.release()
        #expect(try bench.bytes(of: one.entry) == bench.bytes, "a second release is no release of another")
        try await two.release()
        #expect(try bench.bytes(of: one.entry) == nil)
        #expect(try await bench.store.entries(EntryFilter(), after: 0, limit: 9) == [])
    }

    @Test("what a dead process retained is free")
    func freesTheRetainsOfTheDead() async throws {
        _ = try await get()
        let process = bench.machine.spawn()
        _ = try #require(try await bench.client(as: process).cache("pool").retain(key))
        #expect(try await pool.remove(key))
        try await pool.trim()
        #expect(bench.files.names(in: "/cache/pool").count == 1)
        bench.machine.kill(process)
        try await pool.trim()
        #expect(bench.files.names(in: "/cache/pool") == [])
    }

    @Test("a trim deletes what no entry has, and forgets what has no file")
    func tidies() async throws {
        let entry = try #require(try await get())
        let orphan = String(repeating: "ab", count: 32)
        for name in [orphan, "\(orphan).part", "notes.txt"] {
            _ = bench.files.put(.file, [1], as: try FileName(userGiven: name), in: "/cache/pool")
        }
        try await pool.trim()
        let own = String(try #require(entry.path).dropFirst("/cache/pool/".count))
        #expect(bench.files.names(in: "/cache/pool") == [own, "notes.txt"].sorted())
        bench.files.remove(try FileName(userGiven: own), in: "/cache/pool")
        try await pool.trim()
        #expect(try await bench.store.entries(EntryFilter(), after: 0, limit: 9) == [])
    }

    @Test("a file that cannot be looked at is neither served nor forgotten")
    func keepsTheUnreadable() async throws {
        let url = bench.url
        _ = try #require(try await get())
        try await pool.pin(key)
        bench.files.inject(FileFault(.survey))
        await #expect(throws: TransferFailure.self) { try await pool.entry(for: key) }
        // A trim looks for the files of all entries.
        bench.files.inject(FileFault(.survey))
        try await pool.trim()
        let count = requests
        #expect(try await pool.get(url)?.mode == .persistent)
        #expect(requests == count)
        bench.files.inject(FileFault(.survey))
        await #expect(throws: TransferFailure.self) { try await pool.retain(key) }
        #expect(try await pool.entry(for: key)?.retains == 0)
    }

    @Test("what is being downloaded is neither an orphan nor lost")
    func leavesDownloadsAlone() async throws {
        let url = bench.url
        bench.transport.order(.stallAfter(4_000), at: url)
        try await running { pool, _ in
            async let entry = pool.get(url)
            try await bench.transport.nextStall()
            try await pool.trim()
            bench.transport.release()
            #expect(try bench.bytes(of: try await entry) == bench.bytes)
        }
    }

    @Test("a file is deleted only if Ferry has downloaded it and no entry has it")
    func deletesTheUnmanaged() async throws {
        let entry = try #require(try await get())
        let url = bench.url
        let path = try await running { _, engine in
            try await engine.download(from: url, to: bench.destination).value().path
        }
        let own = try FileName(userGiven: "own.txt")
        _ = bench.files.put(.file, [1], as: own, in: "/d")
        _ = bench.files.put(.symbolicLink, [], as: try FileName(userGiven: "link"), in: "/d")
        let client = bench.client()
        #expect(try await !client.deleteFileIfUnmanaged(try #require(entry.path)))
        for name in ["/d/own.txt", "/d/link", "/d/none", "file.bin"] {
            #expect(try await !client.deleteFileIfUnmanaged(name))
        }
        #expect(bench.files.names(in: "/d") == ["file.bin", "link", "own.txt"])
        #expect(try await client.deleteFileIfUnmanaged(try #require(path)))
        // Another file under the path of a downloaded one.
        _ = bench.files.put(.file, [1], as: try FileName(userGiven: "file.bin"), in: "/d")
        #expect(try await !client.deleteFileIfUnmanaged(try #require(path)))
    }

    @Test("all entries, or those of one mode, are removed with their files")
    func removesAll() async throws {
        let urls = try others(3)
        for url in urls { _ = try await get(url) }
        try await pool.pin(.url(urls[0]))
        #expect(try await pool.removeAll(.cached) == 2)
        let size = try await pool.size
        #expect(size.persistentCount == 1 && size.cachedCount == 0)
        #expect(try await pool.removeAll() == 1)
        #expect(bench.files.names(in: "/cache/pool") == [])
    }

    /// Bytes in parts, as an application may have them.
    private func parts(_ bytes: [UInt8], failing: Bool = false) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            for start in stride(from: 0, to: bytes.count, by: 300) {
                continuation.yield(Array(bytes[start..<min(start + 300, bytes.count)]))
            }
            continuation.finish(throwing: failing ? CancellationError() : nil)
        }
    }

    @Test("an application's own file is served, and the next one takes its place")
    func takesOwnFiles() async throws {
        let own = CacheKey.text("photo 1")
        for bytes in [Array(bench.bytes[..<700]), [], bench.bytes] {
            var options = CacheOptions()
            (options.kind, options.mode) = ("photo", .persistent)
            let added = try await pool.add(parts(bytes), as: own, options: options)
            #expect(added.kind == "photo" && added.mode == .persistent && added.bytes == Int64(bytes.count))
            #expect(added.label == "photo 1" && added.retains == 0)
            #expect(try bench.bytes(of: added) == bytes)
            #expect(try await pool.entry(for: own) == added)
        }
        try await pool.trim()
        #expect(try await pool.size.persistentCount == 1)
        #expect(bench.files.names(in: "/cache/pool").count == 1)
    }

    @Test("a file that does not come leaves the former one, and nothing else")
    func leavesNothingOfAFailure() async throws {
        for former in [nil, [1, 2, 3]] as [[UInt8]?] {
            let own = CacheKey.text("photo \(former == nil)")
            if let former { try await pool.add(parts(former), as: own) }
            await #expect(throws: CancellationError.self) {
                try await pool.add(parts(bench.bytes, failing: true), as: own)
            }
            #expect(try await bench.bytes(of: pool.entry(for: own)) == former)
        }
        #expect(bench.files.names(in: "/cache/pool").count == 1)
        #expect(try await pool.size.cachedCount == 1)
    }

    @Test("the part file of a failed download stays until someone gives it up")
    func keepsThePartOfAFailedDownload() async throws {
        var options = CacheOptions()
        options.download.retries = 0
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        await #expect(throws: TransferFailure.self) { try await get(nil, options) }
        try await pool.trim()
        #expect(bench.files.names(in: "/cache/pool").map { $0.hasSuffix(".part") } == [true])
        #expect(try bench.bytes(of: try await get()) == bench.bytes)
    }

    @Test(
        "a file stays until it is uploaded, and is then evictable or deleted",
        arguments: CacheFate.allCases
    )
    func keepsUntilUploaded(_ fate: CacheFate) async throws {
        let own = CacheKey.text("photo")
        bench.bodies.put([7], at: "/photo")
        try await pool.add(parts([7]), as: own)
        var limits = CacheEdit()
        limits.maxBytes = 0
        try await pool.edit(limits)
        let body = StoredBody(try await bench.bodies.pin("/photo"))
        var request = try RequestSpecification(method: .put, url: bench.url, body: body)
        request.replacesUnfinished = true
        let upload = request
        try await running { pool, engine in
            let handle = try await engine.send(upload)
            let kept = try await pool.keep(own, until: handle.id, then: fate)
            #expect(kept?.awaited == handle.id && kept?.mode == .persistent)
            _ = try await handle.response()
            while try await pool.entry(for: own)?.awaited != nil { await Task.yield() }
            let left = try await pool.entry(for: own)
            #expect(left?.mode == (fate == .cached ? .cached : nil))
            while fate == .removed, !bench.files.names(in: "/cache/pool").isEmpty { await Task.yield() }
        }
        try await pool.trim()
        #expect(try await pool.entry(for: own) == nil)
    }

    @Test("its sizes are told as they change, whoever changes them")
    func tellsItsSizes() async throws {
        let watching = bench.client().cache("pool")
        var sizes = watching.sizes().makeAsyncIterator()
        #expect(try await sizes.next() == CacheSize())
        _ = try await get()
        let cached = try #require(try await sizes.next())
        #expect(cached.cachedCount == 1 && cached.cachedBytes == 10_000 && cached.persistentCount == 0)
        _ = try await pool.pin(key)
        let pinned = try #require(try await sizes.next())
        #expect(pinned.cachedCount == 0 && pinned.persistentCount == 1 && pinned.persistentBytes == 10_000)
        // What changes nothing is not told.
        _ = try await get()
        try await pool.remove(key)
        #expect(try await sizes.next() == CacheSize())
    }

    @Test("the download of a node brings an entry, and unmarks the node")
    func servesNodes() async throws {
        let (url, tree) = (bench.url, bench.client().tree(named: "files"))
        let node = Node("a", name: "a", etag: "\"v1\"", source: url)
        try await tree.discover([NodeDiscovery(node, marking: [.header, .data])])
        for round in 1...2 {
            let summary = try await tree.downloadNeeded { _ in
                try await pool.download(of: url, components: .data)
            }
            #expect(summary.added == 1)
            try await bench.engine(.everything(untilDrained: true)).run()
            #expect(try await bench.bytes(of: pool.entry(for: key)) == bench.bytes)
            #expect(try await tree.mark(of: "a")?.components == .header)
            #expect(requests == round)
            try await tree.mark("a", .data)
        }
        // The file is there, so the server was asked for another version only.
        #expect(bench.transport.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
        #expect(try await pool.size.cachedCount == 1)
    }

    @Test("the file of a node goes with the node, and a pinned one stays")
    func removesFilesOfNodes() async throws {
        let (tree, other) = (bench.client().tree(named: "files"), try others(1)[0])
        let nodes = [Node("a", name: "a", source: bench.url), Node("b", name: "b", source: other)]
        try await tree.discover(nodes.map { NodeDiscovery($0, marking: .all) })
        try await tree.downloadNeeded { needed in
            try await pool.download(of: needed.node.id == "a" ? bench.url : other)
        }
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(bench.files.names(in: "/cache/pool").count == 2)
        let pinned = try #require(try await pool.pin(.url(other)))
        #expect(try await tree.remove(["a", "b"]) == 2)
        #expect(try await pool.entry(for: key) == nil)
        #expect(try await pool.entry(for: .url(other))?.path == pinned.path)
        #expect(bench.files.names(in: "/cache/pool").count == 1)
    }

    @Test("the file of a removed node stays if it was got as a persistent one")
    func keepsFilesOfNodes() async throws {
        let tree = bench.client().tree(named: "files")
        var options = CacheOptions()
        options.mode = .persistent
        try await tree.discover([NodeDiscovery(Node("a", name: "a", source: bench.url), marking: .all)])
        try await tree.downloadNeeded { [options] _ in
            try await pool.download(of: bench.url, options: options)
        }
        try await bench.engine(.everything(untilDrained: true)).run()
        let got = try await get(nil, options)
        #expect(requests == 1)
        #expect(try await tree.remove(["a"]) == 1)
        #expect(try await pool.entry(for: key)?.path == got?.path && got != nil)
    }

    @Test("an application's own key is another one than the URL")
    func takesKeys() async throws {
        let url = bench.url
        let entry = try await running { pool, _ in
            try await pool.get(url, key: .text("mine"), options: CacheOptions())
        }
        #expect(entry?.label == "mine")
        #expect(try await pool.entry(for: key) == nil)
        #expect(try await pool.entry(for: .text("mine"))?.path == entry?.path)
    }

    @Test("a name that no pool may have is refused")
    func refusesNames() async throws {
        let pool = bench.client().cache("../x")
        let error = StoreError.refusedPool(.name("../x"))
        await #expect(throws: error) { try await pool.get(bench.url) }
        await #expect(throws: error) { try await pool.entry(for: key) }
        await #expect(throws: error) { try await pool.edit(CacheEdit()) }
        await #expect(throws: error) { try await pool.trim() }
        await #expect(throws: error) { try await pool.removeAll() }
    }

    @Test("a download that was interrupted brings its entry later")
    func bringsTheEntryOfAnInterruptedDownload() async throws {
        let url = bench.url
        let added = try await { () async throws -> NewTransfer in
            switch try await pool.prepare(url, CacheOptions()) {
            case .missing(let new): return new
            case .present, .stale: throw CancellationError()
            }
        }()
        _ = try await bench.client().add(added)
        #expect(try await pool.entry(for: key) == nil)
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(try bench.bytes(of: try await pool.entry(for: key)) == bench.bytes)
    }
}
