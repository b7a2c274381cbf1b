/// The payload of a sealed file. To read a range, it opens only the chunks that contain it.
///
/// Its last chunk is opened first: it proves that the file is not cut short.
package struct SealedPayload: Sendable {
    private let file: any SealedBytes
    /// The offset of the first chunk in the file.
    private let start: Int64
    private let map: ChunkMap
    private let opener: PayloadOpener

    /// How many chunks are read at once.
    private static let together: Int64 = 16

    /// Opens the last chunk.
    ///
    /// - Parameters:
    ///   - start: the offset of the first chunk in the file.
    ///   - key: the key of the payload.
    /// - Throws: ``SealedBytes/failure(_:)`` if the file is cut short, and what reading it throws.
    package init(_ file: any SealedBytes, from start: Int64, _ key: PayloadKey) async throws {
        (self.file, self.start) = (file, start)
        opener = PayloadOpener(key)
        let length = file.length - start
        do throws(SealedProblem) {
            map = try ChunkMap(sealedLength: length)
        } catch {
            let whole = max(0, length / ChunkMap.sealedChunkLength)
            let place = max(0, whole - 1) * ChunkMap.sealedChunkLength..<whole * ChunkMap.sealedChunkLength
            let sealed = try await file.bytes(start + place.lowerBound..<start + place.upperBound)
            throw file.failure(opener.problem(ofLength: error, after: sealed[...]))
        }
        _ = try await open(map.last, try await sealed(map.last..<map.count)[...])
    }

    /// The length of the payload in clear, in bytes.
    package var length: Int64 { map.length }

    /// Opens a range of the payload. Bytes past the end are left out.
    ///
    /// - Parameter take: takes bytes in clear, in order; returns whether more are wanted.
    /// - Throws: ``SealedBytes/failure(_:)`` for a chunk that was changed. What was taken before that is right.
    package func read(_ range: Range<Int64>, _ take: ([UInt8]) async throws -> Bool) async throws {
        let chunks = map.chunks(for: range)
        for first in stride(from: chunks.lowerBound, to: chunks.upperBound, by: Int(Self.together)) {
            let run = first..<min(first + Self.together, chunks.upperBound)
            var sealed = try await sealed(run)[...]
            var text: [UInt8] = []
            for chunk in run {
                let place = map.range(of: chunk)
                let wanted = range.clamped(to: place)
                let opened = try await open(chunk, sealed.prefix(Int(ChunkMap.sealedChunkLength)))
                text +=
                    opened[
                        Int(wanted.lowerBound - place.lowerBound)..<Int(wanted.upperBound - place.lowerBound)
                    ]
                sealed = sealed.dropFirst(Int(ChunkMap.sealedChunkLength))
            }
            guard try await take(text) else { return }
        }
    }

    /// A range of the payload that fits into memory.
    package func bytes(_ range: Range<Int64>) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await read(range) { part in
            bytes += part
            return true
        }
        return bytes
    }

    private func sealed(_ chunks: Range<Int64>) async throws -> [UInt8] {
        let range = map.sealedRange(of: chunks)
        return try await file.bytes(start + range.lowerBound..<start + range.upperBound)
    }

    private func open(_ chunk: Int64, _ sealed: ArraySlice<UInt8>) async throws -> [UInt8] {
        do throws(SealedProblem) {
            return try opener.open(sealed, as: chunk, isLast: chunk == map.last)
        } catch {
            throw file.failure(try await refined(error, of: chunk))
        }
    }

    /// The problem of a chunk, in the light of another one of the file.
    private func refined(_ problem: SealedProblem, of chunk: Int64) async throws -> SealedProblem {
        let other: Int64 = chunk == 0 ? 1 : 0
        guard other < map.count else { return problem }
        let sealed = try await sealed(other..<(other + 1))
        return problem.refined(isOtherOpen: opener.opens(sealed[...], as: other, isLast: other == map.last))
    }
}
