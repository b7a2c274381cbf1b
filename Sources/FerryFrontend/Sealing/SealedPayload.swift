import FerrySealed

/// The payload of a sealed regular file, of which any range is read by opening only the chunks that have it.
///
/// Its last chunk is opened first: it proves that the file is not cut short.
package struct SealedPayload {
    private let stream: FileStream
    /// The offset of the first chunk in the file.
    private let start: Int64
    private let map: ChunkMap
    private let opener: PayloadOpener
    private let name: String

    /// How many chunks are read at once.
    private static let together: Int64 = 16

    init(
        _ stream: FileStream,
        from start: Int64,
        _ key: PayloadKey,
        named name: String
    ) throws(CommandFailure) {
        (self.stream, self.start, self.name) = (stream, start, name)
        opener = PayloadOpener(key)
        let length = stream.length - start
        do throws(SealedProblem) {
            map = try ChunkMap(sealedLength: length)
        } catch {
            let whole = max(0, length / ChunkMap.sealedChunkLength)
            let place = max(0, whole - 1) * ChunkMap.sealedChunkLength..<whole * ChunkMap.sealedChunkLength
            let sealed = try Self.bytes(place, of: stream, from: start, name)
            throw CommandFailure(opener.problem(ofLength: error, after: sealed[...]), in: name)
        }
        _ = try open(map.last, try sealed(map.last..<map.count)[...])
    }

    /// The length of the payload in clear, in bytes.
    package var length: Int64 { map.length }

    /// Opens a range of the payload. What of it lies behind the end is left out.
    ///
    /// - Parameter take: takes bytes in clear, in order; returns whether more are wanted.
    /// - Throws: ``CommandFailure`` with status 32 for a chunk that was changed. What was taken before that is right.
    package func read(_ range: Range<Int64>, _ take: ([UInt8]) async throws -> Bool) async throws {
        let chunks = map.chunks(for: range)
        for first in stride(from: chunks.lowerBound, to: chunks.upperBound, by: Int(Self.together)) {
            let run = first..<min(first + Self.together, chunks.upperBound)
            var sealed = try sealed(run)[...]
            var text: [UInt8] = []
            for chunk in run {
                let place = map.range(of: chunk)
                let wanted = range.clamped(to: place)
                let opened = try open(chunk, sealed.prefix(Int(ChunkMap.sealedChunkLength)))
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

    private func sealed(_ chunks: Range<Int64>) throws(CommandFailure) -> [UInt8] {
        try Self.bytes(map.sealedRange(of: chunks), of: stream, from: start, name)
    }

    private static func bytes(
        _ range: Range<Int64>,
        of stream: FileStream,
        from start: Int64,
        _ name: String
    ) throws(CommandFailure) -> [UInt8] {
        do throws(FileReader.Problem) {
            return try stream.bytes(
                at: start + range.lowerBound,
                count: Int(range.upperBound - range.lowerBound)
            )
        } catch {
            throw CommandFailure(unreadable: name, error)
        }
    }

    private func open(_ chunk: Int64, _ sealed: ArraySlice<UInt8>) throws(CommandFailure) -> [UInt8] {
        do throws(SealedProblem) {
            return try opener.open(sealed, as: chunk, isLast: chunk == map.last)
        } catch {
            throw CommandFailure(try refined(error, of: chunk), in: name)
        }
    }

    /// The problem of a chunk, in the light of another one of the file.
    private func refined(_ problem: SealedProblem, of chunk: Int64) throws(CommandFailure) -> SealedProblem {
        let other: Int64 = chunk == 0 ? 1 : 0
        guard other < map.count else { return problem }
        let isOpen = opener.opens(try sealed(other..<(other + 1))[...], as: other, isLast: other == map.last)
        return problem.refined(isOtherOpen: isOpen)
    }
}
