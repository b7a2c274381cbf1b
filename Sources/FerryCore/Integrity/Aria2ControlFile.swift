/// What the control file of aria2 (`NAME.aria2`) says about an unfinished file: which of its pieces are there.
///
/// The format is in aria2's technical notes: big-endian numbers, and a bit for each piece, the highest of a byte first.
/// Blocks of pieces that are not complete are not counted.
package struct Aria2ControlFile: Hashable, Sendable {
    /// The length of the whole file, in bytes.
    package let length: Int64
    /// The bytes that are there, in order, without gaps between neighbours.
    package let runs: [Range<Int64>]

    /// The longest control file that is read, in bytes: a bit for each MiB of an exbibyte is longer than any.
    package static let longest = 16 << 20

    /// Reads a control file of version 1; `nil` for anything else, and for one that contradicts itself.
    package init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        func number(_ count: Int) -> UInt64? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
        }
        func skip(_ count: UInt64?) -> Bool {
            guard let count, count <= UInt64(rest.count) else { return false }
            rest = rest.dropFirst(Int(count))
            return true
        }
        guard number(2) == 1, number(4) != nil, skip(number(4)), let piece = number(4), piece > 0,
            let total = number(8), (1...UInt64(1) << 60).contains(total), number(8) != nil,
            let count = number(4), count == (total - 1) / piece / 8 + 1, count <= UInt64(rest.count)
        else { return nil }
        length = Int64(total)
        let (pieceLength, field) = (Int64(piece), Array(rest.prefix(Int(count))))
        var runs: [Range<Int64>] = []
        for index in 0..<(length - 1) / pieceLength + 1
        where field[Int(index / 8)] & 0x80 >> UInt8(index % 8) != 0 {
            let range = index * pieceLength..<min((index + 1) * pieceLength, length)
            if let last = runs.last, last.upperBound == range.lowerBound {
                runs[runs.count - 1] = last.lowerBound..<range.upperBound
            } else {
                runs.append(range)
            }
        }
        self.runs = runs
    }
}
