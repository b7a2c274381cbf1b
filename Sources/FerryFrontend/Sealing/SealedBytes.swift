import Ferry
import FerrySealed

/// A sealed file of which any range can be read.
protocol SealedBytes {
    /// The file, as messages quote it.
    var name: String { get }
    /// Its length in bytes.
    var length: Int64 { get }

    /// The bytes of a range, which lies within the file.
    func bytes(_ range: Range<Int64>) async throws -> [UInt8]
}

/// A sealed file on this machine.
struct LocalSealedBytes: SealedBytes {
    let name: String
    let stream: FileStream

    var length: Int64 { stream.length }

    func bytes(_ range: Range<Int64>) async throws -> [UInt8] {
        do throws(FileReader.Problem) {
            return try stream.bytes(at: range.lowerBound, count: Int(range.upperBound - range.lowerBound))
        } catch {
            throw CommandFailure(unreadable: name, error)
        }
    }
}

/// A sealed file at a URL. Only the ranges that are needed are fetched, all of one version.
final class RemoteSealedBytes: SealedBytes {
    let name: String
    let length: Int64
    private let client: RangeClient
    private let version: EntityTag
    /// The first bytes, which have the header.
    private let beginning: [UInt8]
    /// What was fetched last: a thumbnail is read once to verify it, and once more to print it.
    private var latest: (range: Range<Int64>, bytes: [UInt8])?

    /// Enough for the header of some recipients and for the first chunk.
    private static let usualBeginning = 4096 + ChunkMap.sealedChunkLength

    /// Fetches the beginning of a file.
    init(_ client: RangeClient, named name: String) async throws {
        let part = try await client.part(0..<Self.usualBeginning)
        (self.client, self.name) = (client, name)
        (beginning, length, version) = (part.bytes, part.total, part.version)
    }

    func bytes(_ range: Range<Int64>) async throws -> [UInt8] {
        let known = Int64(beginning.count)
        guard range.upperBound > known else {
            return Array(beginning[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        if let latest, latest.range == range { return latest.bytes }
        let held = beginning[Int(min(range.lowerBound, known))...]
        let rest = max(range.lowerBound, known)..<range.upperBound
        let bytes = Array(held) + (try await client.part(rest, of: version)).bytes
        latest = (range, bytes)
        return bytes
    }
}
