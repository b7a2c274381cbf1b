import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("What dead processes leave in a pool", .timeLimit(.minutes(10)))
struct CachePoolLeftoverTests {
    private let bench: Bench
    private let pool: CachePool

    init() throws {
        bench = try Bench()
        pool = bench.client().cache("pool")
    }

    private func parts(_ bytes: [UInt8]) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            continuation.yield(bytes)
            continuation.finish()
        }
    }

    /// Sets the directory of the pool, or leaves it where it is by default.
    private func place(_ directory: String?) async throws -> String {
        var edit = CacheEdit()
        edit.directory = .some(directory)
        try await pool.edit(edit)
        return directory ?? "/cache/pool"
    }

    @Test("an own file whose process died between its rename and the record of it is served")
    func takesTheFileOfADeadProcess() async throws {
        let own = CacheKey.text("own")
        var options = CacheOptions()
        options.mode = .persistent
        let path = try #require(try await pool.add(parts([1, 2]), as: own, options: options).path)
        let name = try FileName(userGiven: String(path.dropFirst("/cache/pool/".count)))
        let number = try #require(try await bench.store.entry(name.rawValue, in: "pool")).number
        bench.files.remove(name, in: "/cache/pool")
        let identity = bench.files.put(.file, [3, 4, 5], as: name, in: "/cache/pool")
        let coming = SavedVersion(PlacedFile(identity: identity, length: 3, modified: nil))
        _ = try await bench.store.change([number], .announce(coming), at: bench.clock.now)
        let entry = try #require(try await pool.entry(for: own))
        #expect(entry.bytes == 3 && entry.mode == .persistent && entry.path == path)
        try await pool.trim()
        #expect(try bench.bytes(of: try await pool.entry(for: own)) == [3, 4, 5])
        #expect(try await bench.store.entry(name.rawValue, in: "pool")?.coming == nil)
    }

    @Test("a file that takes the place of an orphan while the pool is tidied stays")
    func keepsWhatComesMeanwhile() async throws {
        let name = try FileName(userGiven: String(repeating: "ab", count: 32))
        bench.files.addDirectory("/cache/pool")
        bench.files.put(.file, [7], as: name, in: "/cache/pool")
        let now = bench.clock.now
        let owner = try await bench.store.join(bench.machine.spawn().currentProcess, at: now)
        // Another process puts its file there, and has not recorded that yet.
        bench.files.beforeNext(.survey) { [bench] in
            await #expect(throws: Never.self) {
                let new = StoredEntry(CacheTerms(pool: "pool"), named: name.rawValue, label: "x", at: now)
                _ = try await bench.store.beginImport(new, by: owner)
            }
            bench.files.put(.file, [8], as: name, in: "/cache/pool")
        }
        try await pool.trim()
        #expect(bench.files.contents(of: name, in: "/cache/pool") == [8])
    }

    @Test(
        "an own file whose process died before there was an entry leaves nothing",
        arguments: [nil, "/own"]
    )
    func removesTheFileOfADeadProcess(_ directory: String?) async throws {
        let directory = try await place(directory)
        let own = CacheKey.text("own")
        // The commits before: the process joins, the import begins, and its file is about to come.
        let failure = StoreError.writeFailed(path: "/s", "as ordered", isDiskFull: false)
        bench.store.failNextWrite(with: failure, after: 3)
        await #expect(throws: StoreError.self) { try await pool.add(parts([1, 2]), as: own) }
        #expect(bench.files.names(in: directory) == [])
        #expect(try await bench.store.entries(EntryFilter(), after: 0, limit: 9) == [])
        let process = bench.machine.spawn()
        let owner = try await bench.store.join(process.currentProcess, at: bench.clock.now)
        let name = try FileName(userGiven: String(repeating: "ab", count: 32))
        let new = StoredEntry(CacheTerms(pool: "pool"), named: name.rawValue, label: "x", at: bench.clock.now)
        let number = try await bench.store.beginImport(new, by: owner).number
        let identity = bench.files.put(.file, [7], as: name, in: directory)
        let coming = SavedVersion(PlacedFile(identity: identity, length: 1, modified: nil))
        _ = try await bench.store.change([number], .announce(coming), at: bench.clock.now)
        try await pool.trim()
        #expect(bench.files.names(in: directory) == [name.rawValue], "it may still come")
        bench.machine.kill(process)
        try await pool.trim()
        #expect(bench.files.names(in: directory) == [])
        #expect(try await bench.store.entries(EntryFilter(), after: 0, limit: 9) == [])
    }

    @Test(
        "an own file of a dead process does not outlive its entry, whose download was cancelled",
        arguments: [nil, "/own"]
    )
    func removesTheFileOfACancelledEntry(_ directory: String?) async throws {
        let directory = try await place(directory)
        var options = DownloadOptions()
        options.cache = CacheTerms(pool: "pool")
        let name = try FileName(userGiven: String(repeating: "cd", count: 32))
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://example.com/cd"),
            destination: .file(directory: directory, name: name),
            options: options
        )
        let added = try await bench.store.add([NewTransfer(specification)], holder: nil, at: bench.clock.now)
        let transfer = try #require(added.first?.transfer.id)
        let number = try #require(try await bench.store.entry(name.rawValue, in: "pool")).number
        bench.files.addDirectory(directory)
        let identity = bench.files.put(.file, [7], as: name, in: directory)
        let coming = SavedVersion(PlacedFile(identity: identity, length: 1, modified: nil))
        _ = try await bench.store.change([number], .announce(coming), at: bench.clock.now)
        _ = try await bench.store.ask(.cancel(keepingPart: false), of: transfer, at: bench.clock.now)
        #expect(bench.files.names(in: directory) == [name.rawValue])
        bench.files.inject(FileFault(.removePart))
        try await pool.trim()
        try await pool.trim()
        #expect(bench.files.names(in: directory) == [])
        #expect(try await bench.store.entries(EntryFilter(), after: 0, limit: 9) == [])
    }

    @Test("what a killed process has left of an own file is not in the way")
    func removesTheLeftover() async throws {
        let own = CacheKey.text("own")
        let path = try #require(try await pool.add(parts([1, 2]), as: own).path)
        let name = try FileName(userGiven: String(path.dropFirst("/cache/pool/".count)))
        _ = bench.files.put(.file, [7], as: name.partName, in: "/cache/pool")
        let again = try await pool.add(parts([3, 4]), as: own)
        #expect(try bench.bytes(of: again) == [3, 4])
        #expect(bench.files.names(in: "/cache/pool") == [name.rawValue])
    }
}
