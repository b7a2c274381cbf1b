/// Seals the chunks of one payload, in any order and each of them once.
///
/// There is one for each key, and it cannot be copied: a copy would not know what the other has sealed.
package struct PayloadSealer: ~Copyable, Sendable {
    private let key: PayloadKey
    private var sealed: RangeSet<Int64>
    /// The number of the last chunk, once that was sealed.
    private var last: Int64?

    /// Creates the sealer of a key.
    ///
    /// - Parameters:
    ///   - key: the key of a new payload, or one that was kept.
    ///   - sealed: the chunks that may have been sealed with a kept key.
    ///   - last: the number of the last chunk, if it is among them.
    package init(_ key: PayloadKey, sealed: RangeSet<Int64> = RangeSet(), last: Int64? = nil) {
        (self.key, self.sealed, self.last) = (key, sealed, last)
    }

    /// Seals a run of whole chunks, and at the end of the payload also one that is shorter.
    ///
    /// - Parameters:
    ///   - text: the bytes of the chunks in clear.
    ///   - first: the number of the first chunk.
    ///   - endsPayload: whether the payload ends with them.
    /// - Returns: the sealed chunks, which lie side by side at ``ChunkMap/sealedRange(of:)``.
    /// - Throws: ``SealingRefusal``. Nothing is sealed then.
    package mutating func seal(
        _ text: some RandomAccessCollection<UInt8>,
        from first: Int64,
        endsPayload: Bool
    ) throws(SealingRefusal) -> [UInt8] {
        let size = Int(ChunkMap.chunkLength)
        let whole = Int64(text.count / size)
        let hasRest = text.count % size > 0 || (text.isEmpty && first == 0)
        guard endsPayload ? hasRest || whole > 0 : !hasRest else { throw .partialChunk(first + whole) }
        let chunks = first..<(first + whole + (hasRest ? 1 : 0))
        if let last, chunks.upperBound > last || endsPayload { throw .anotherEnd(last) }
        if endsPayload, let beyond = sealed.ranges.last, beyond.upperBound > chunks.upperBound {
            throw .anotherEnd(beyond.upperBound - 1)
        }
        if let before = chunks.first(where: { sealed.contains($0) }) { throw .sealedBefore(before) }
        sealed.insert(contentsOf: chunks)
        if endsPayload { last = chunks.upperBound - 1 }
        var output: [UInt8] = []
        output.reserveCapacity(text.count + chunks.count * AuthenticatedCipher.tagLength)
        var rest = text[...]
        for chunk in chunks {
            let isLast = endsPayload && chunk == chunks.upperBound - 1
            output += key.seal(Array(rest.prefix(size))[...], as: chunk, isLast: isLast)
            rest = rest.dropFirst(size)
        }
        return output
    }

    /// Seals a chunk of a file that was begun before, with the same key.
    ///
    /// - Parameters:
    ///   - text: its bytes in clear.
    ///   - earlier: what the file has in its place, up to the length of a whole sealed chunk.
    /// - Returns: the sealed chunk; `nil` if it is in its place already.
    /// - Throws: ``SealingRefusal``; `otherText` if the chunk in its place was sealed from other bytes.
    package mutating func seal(
        _ text: [UInt8],
        as chunk: Int64,
        isLast: Bool,
        over earlier: [UInt8]
    ) throws(SealingRefusal) -> [UInt8]? {
        // A last chunk may have been shorter or longer.
        let lengths = Set([text.count + AuthenticatedCipher.tagLength, earlier.count])
        let former = lengths.lazy.compactMap { [key] length in
            key.open(earlier.prefix(length), as: chunk, isLast: isLast)
        }.first
        guard let former else { return try seal(text, from: chunk, endsPayload: isLast) }
        guard former == text else { throw .otherText(chunk) }
        return nil
    }
}
