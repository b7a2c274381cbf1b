import Ferry
import FerrySealed
import Synchronization

/// A sealed file at a URL. Only the ranges that are needed are fetched, all of one version.
final class RemoteSealedBytes: SealedBytes {
    /// The file, as messages quote it.
    let name: String
    let length: Int64
    private let client: RangeClient
    private let version: EntityTag
    /// The first bytes, which have the header.
    private let beginning: [UInt8]
    /// What was fetched last: a thumbnail is read once to verify it, and once more to print it.
    private let latest: Mutex<(range: Range<Int64>, bytes: [UInt8])?>

    /// Enough for the header of some recipients and for the first chunk.
    private static let usualBeginning = 4096 + ChunkMap.sealedChunkLength

    /// Fetches the beginning of a file.
    init(_ client: RangeClient, named name: String) async throws {
        let part = try await client.part(0..<Self.usualBeginning)
        (self.client, self.name) = (client, name)
        (beginning, length, version) = (part.bytes, part.total, part.version)
        latest = Mutex(nil)
    }

    func bytes(_ range: Range<Int64>) async throws -> [UInt8] {
        let known = Int64(beginning.count)
        guard range.upperBound > known else {
            return Array(beginning[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        if let latest = latest.withLock({ $0 }), latest.range == range { return latest.bytes }
        let held = beginning[Int(min(range.lowerBound, known))...]
        let rest = max(range.lowerBound, known)..<range.upperBound
        // Of a file that ends with its header, nothing is left to ask for.
        guard !rest.isEmpty else { return [] }
        let bytes = Array(held) + (try await client.part(rest, of: version)).bytes
        latest.withLock { $0 = (range, bytes) }
        return bytes
    }

    func failure(_ problem: SealedProblem) -> any Error { CommandFailure(problem, in: name) }
}
