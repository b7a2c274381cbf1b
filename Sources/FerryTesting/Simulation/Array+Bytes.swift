/// Comparing whole files after every event is most of a simulation's work, so it compares eight bytes at a
/// time.
extension Array<UInt8> {
    /// Whether both have the same bytes.
    func hasSameBytes(as other: [UInt8]) -> Bool {
        count == other.count && holds(other, at: 0)
    }

    /// Whether these bytes contain the other ones at an offset.
    func holds(_ other: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset + other.count <= count else { return false }
        return withUnsafeBytes { mine in
            other.withUnsafeBytes { theirs in
                var index = 0
                while index + 8 <= theirs.count {
                    let left = mine.loadUnaligned(fromByteOffset: offset + index, as: UInt64.self)
                    guard left == theirs.loadUnaligned(fromByteOffset: index, as: UInt64.self) else {
                        return false
                    }
                    index += 8
                }
                while index < theirs.count {
                    guard mine[offset + index] == theirs[index] else { return false }
                    index += 1
                }
                return true
            }
        }
    }
}
