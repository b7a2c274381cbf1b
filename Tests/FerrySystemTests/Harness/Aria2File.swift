import Foundation

/// What aria2 leaves of a download that was interrupted.
enum Aria2File {
    /// The length of a piece in bytes.
    static let piece = 65_536

    /// The control file of a file of this length, of which aria2 has fetched these pieces.
    static func control(of pieces: [Bool], length: Int) -> Data {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
        }
        var field = [UInt8](repeating: 0, count: (pieces.count + 7) / 8)
        for (index, isThere) in pieces.enumerated() where isThere {
            field[index / 8] |= 0x80 >> UInt8(index % 8)
        }
        let head = [0, 1, 0, 0, 0, 0] + number(0, 4) + number(piece, 4) + number(length, 8) + number(0, 8)
        return Data(head + number(field.count, 4) + field + number(0, 4))
    }
}
