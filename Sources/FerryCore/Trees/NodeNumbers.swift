/// A set of numbers of nodes. Those of one tree mostly follow each other, so 64 of them share one entry.
package struct NodeNumbers: Sendable {
    /// The members whose numbers divided by 64 are equal, a bit for each.
    private var pages: [Int64: UInt64] = [:]

    /// Creates an empty set.
    package init() {}

    /// Whether a number is a member.
    package func contains(_ number: Int64) -> Bool { (pages[number >> 6] ?? 0) & Self.bit(of: number) != 0 }

    /// Makes a number a member.
    package mutating func insert(_ number: Int64) { pages[number >> 6, default: 0] |= Self.bit(of: number) }

    private static func bit(of number: Int64) -> UInt64 { 1 << UInt64(number & 63) }
}
