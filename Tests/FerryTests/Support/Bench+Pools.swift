import Ferry
import FerryCore
import FerryTesting
import Testing

extension Bench {
    /// The bytes of the file of an entry; `nil` without one.
    func bytes(of entry: CacheEntry?) throws -> [UInt8]? {
        guard let path = entry?.path, let slash = path.lastIndex(of: "/") else { return nil }
        let name = try FileName(userGiven: String(path[path.index(after: slash)...]))
        return files.contents(of: name, in: String(path[..<slash]))
    }

    /// Gets the file from a pool, as a process that runs the queue, and ends.
    @discardableResult
    func get(_ options: CacheOptions = CacheOptions()) async throws -> CacheEntry {
        let engine = engine(.everything(untilDrained: false))
        return try await running(engine) {
            try #require(try await engine.cache("pool").get(self.url, options: options))
        }
    }

    /// Adds the download of a file that a pool lacks, or has to ask for again.
    @discardableResult
    func add(_ url: HTTPURL, to pool: CachePool) async throws -> TransferID {
        switch try await pool.prepare(url, CacheOptions()) {
        case .missing(let new), .stale(_, let new): try await client().add(new).id
        case .present: throw CancellationError()
        }
    }
}
