/// Small damage to a seed, as transport, disks and people cause it, so that ordinary tests also see more than
/// the seeds.
package struct SeedMutation: Sendable {
    private var random: SeededRandom

    /// Creates a source of damage; the same seed gives the same damage.
    package init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    /// A copy of `bytes` with one to four changes; `other` provides pieces.
    package mutating func damaged(_ bytes: [UInt8], with other: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes, with: other) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8], with other: [UInt8]) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let span = place..<min(bytes.count, place + Int.random(in: 1...8, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0: bytes.removeSubrange(span)
        case 1: bytes.insert(contentsOf: bytes[span], at: place)
        case 2: bytes.insert(.random(in: 0...255, using: &random), at: place)
        case 3: bytes.removeSubrange(place...)
        case 4:
            bytes.insert(contentsOf: other.prefix(Int.random(in: 0...other.count, using: &random)), at: place)
        case 5 where !span.isEmpty: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 6 where !span.isEmpty: bytes[place] = Self.delimiters.randomElement(using: &random) ?? 0
        default: bytes.append(contentsOf: other.suffix(Int.random(in: 0...other.count, using: &random)))
        }
    }

    /// The bytes that have a meaning for any of the parsers.
    private static let delimiters =
        Array("\0\t\n\r \"#%'*,-./0:;<=?@AZ[\\]{}~\u{7F}".utf8) + [0x80, 0xC3, 0xFF]
}
