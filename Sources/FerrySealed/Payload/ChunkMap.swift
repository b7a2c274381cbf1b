/// Where the bytes of a payload are. It consists of chunks of 64 KiB. Sealing adds a tag to each.
///
/// Offsets in the sealed payload are counted from after its nonce, which follows the header.
package struct ChunkMap: Hashable, Sendable {
    /// The number of bytes in every chunk but the last.
    package static let chunkLength: Int64 = 64 << 10
    /// The length of a sealed chunk of that length.
    package static let sealedChunkLength = chunkLength + Int64(AuthenticatedCipher.tagLength)
    private static let tagLength = Int64(AuthenticatedCipher.tagLength)

    /// The length of the payload in clear, in bytes.
    package let length: Int64

    /// The map of a payload of this length.
    package init(length: Int64) {
        self.length = length
    }

    /// The map of a sealed payload of this length, without its nonce.
    ///
    /// - Throws: ``SealedProblem``: `cutShort` or `emptyLast` for a length that no payload has.
    package init(sealedLength: Int64) throws(SealedProblem) {
        let (whole, rest) = sealedLength.quotientAndRemainder(dividingBy: Self.sealedChunkLength)
        guard rest == 0 || rest >= Self.tagLength, sealedLength > 0 else {
            throw .cutShort(chunks: max(0, whole))
        }
        guard rest != Self.tagLength || whole == 0 else { throw .emptyLast(whole) }
        length = whole * Self.chunkLength + max(0, rest - Self.tagLength)
    }

    /// The number of chunks; an empty payload has an empty one.
    package var count: Int64 { max(1, (length + Self.chunkLength - 1) / Self.chunkLength) }

    /// The number of the last chunk.
    package var last: Int64 { count - 1 }

    /// The length of the sealed payload, without its nonce.
    package var sealedLength: Int64 { length + count * Self.tagLength }

    /// The bytes in clear of a chunk.
    package func range(of chunk: Int64) -> Range<Int64> {
        let start = chunk * Self.chunkLength
        return start..<min(start + Self.chunkLength, length)
    }

    /// The place of a run of chunks in the sealed payload.
    package func sealedRange(of chunks: Range<Int64>) -> Range<Int64> {
        let start = chunks.lowerBound * Self.sealedChunkLength
        // Where a whole last chunk would end may be more than 64 bits hold.
        let end = chunks.upperBound < count ? chunks.upperBound * Self.sealedChunkLength : sealedLength
        return start..<max(start, end)
    }

    /// The chunks that have these bytes.
    package func chunks(for range: Range<Int64>) -> Range<Int64> {
        let range = range.clamped(to: 0..<length)
        guard !range.isEmpty else { return 0..<0 }
        return range.lowerBound / Self.chunkLength..<(range.upperBound - 1) / Self.chunkLength + 1
    }
}
