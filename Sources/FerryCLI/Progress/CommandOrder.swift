import Ferry

/// The places of transfers on a command line, from 0.
///
/// A list may have a million lines. Transfers that are added together have numbers that follow each other, so 64 of them
/// share one entry.
struct CommandOrder: Sendable {
    /// Transfers whose numbers divided by 64 are equal, and whose places are as far apart as their numbers.
    private struct Block {
        /// The difference between the place and the number of each member.
        let offset: Int64
        /// A bit for each member.
        var members: UInt64
    }

    private var blocks: [Int64: Block] = [:]
    /// The places of the transfers that fit into no block.
    private var others: [TransferID: Int64] = [:]
    /// The number of places.
    private(set) var count: Int64 = 0

    /// Gives transfers the next places. One that has a place already keeps it.
    mutating func append(_ ids: some Sequence<TransferID>) {
        for id in ids {
            if self[id] == nil { place(id) }
            count += 1
        }
    }

    /// Takes the next place for what has no transfer, and returns it.
    mutating func skip() -> Int64 {
        defer { count += 1 }
        return count
    }

    /// The place of a transfer; `nil` if it is not on the command line.
    subscript(id: TransferID) -> Int64? {
        let (key, bit) = Self.block(of: id)
        if let block = blocks[key], block.members & bit != 0 { return id.rawValue &+ block.offset }
        return others[id]
    }

    private mutating func place(_ id: TransferID) {
        let (key, bit) = Self.block(of: id)
        let offset = count &- id.rawValue
        var block = blocks[key] ?? Block(offset: offset, members: 0)
        guard block.offset == offset else { return others[id] = count }
        block.members |= bit
        blocks[key] = block
    }

    private static func block(of id: TransferID) -> (key: Int64, bit: UInt64) {
        (id.rawValue >> 6, 1 << UInt64(id.rawValue & 63))
    }
}
