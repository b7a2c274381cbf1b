/// Seals a payload that comes in order and whose end is not known ahead: a full chunk is held until more comes, because the
/// last one is sealed in another way.
package struct StreamSealer: ~Copyable, Sendable {
    private var sealer: PayloadSealer
    private var held: [UInt8] = []
    private var next: Int64 = 0

    /// Creates the sealer of a new payload.
    package init(_ key: PayloadKey) {
        sealer = PayloadSealer(key)
    }

    /// Takes the next bytes.
    ///
    /// - Returns: the chunks that are sealed with them.
    package mutating func take(_ text: some Collection<UInt8>) throws(SealingRefusal) -> [UInt8] {
        held += text
        let size = Int(ChunkMap.chunkLength)
        guard held.count > size else { return [] }
        let count = (held.count - 1) / size
        let sealed = try sealer.seal(held[..<(count * size)], from: next, endsPayload: false)
        held.removeFirst(count * size)
        next += Int64(count)
        return sealed
    }

    /// Takes the end.
    ///
    /// - Returns: the last chunk.
    package mutating func finish() throws(SealingRefusal) -> [UInt8] {
        try sealer.seal(held, from: next, endsPayload: true)
    }
}
