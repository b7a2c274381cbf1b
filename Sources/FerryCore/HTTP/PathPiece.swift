/// The text between two separators of a path. Whether it may be shown is decided for each piece.
///
/// A separator within a segment may be percent-encoded, even several times, if one URL contains another.
struct PathPiece {
    /// The piece as it is in the path.
    var text: ArraySlice<UInt8>
    /// The separator before it, decoded; `nil` for the first piece.
    var separator: UInt8?
    /// The separator after it as it is in the path; empty for the last piece.
    var ending: ArraySlice<UInt8>

    /// Separators: `/` and `\` between segments; `;`, `?`, `#`, `&` and `,` within them.
    private static let separators = Set("/\\;?#&,".utf8)

    /// The pieces of a path, in order; at least one.
    static func all(of path: [UInt8]) -> [PathPiece] {
        var pieces: [PathPiece] = []
        var start = path.startIndex
        var separator: UInt8?
        var index = start
        while index < path.endIndex {
            let (byte, end) = decoded(path[index...])
            if separators.contains(byte) {
                pieces.append(
                    PathPiece(text: path[start..<index], separator: separator, ending: path[index..<end])
                )
                (start, separator) = (end, byte)
            }
            index = end
        }
        return pieces + [PathPiece(text: path[start...], separator: separator, ending: [])]
    }

    /// The parts of the piece around the first of these bytes, encoded or not, or around the last one; `nil` if it
    /// has none of them.
    func parted(
        at bytes: Set<UInt8>,
        last isLast: Bool = false
    ) -> (before: ArraySlice<UInt8>, separator: ArraySlice<UInt8>, after: ArraySlice<UInt8>)? {
        var found: Range<Int>?
        var index = text.startIndex
        while index < text.endIndex, isLast || found == nil {
            let (byte, end) = Self.decoded(text[index...])
            if bytes.contains(byte) { found = index..<end }
            index = end
        }
        return found.map { (text[..<$0.lowerBound], text[$0], text[$0.upperBound...]) }
    }

    /// The first byte of a text, decoded as often as it was encoded, and where the next one begins.
    private static func decoded(_ text: ArraySlice<UInt8>) -> (byte: UInt8, end: Int) {
        let plain = (text[text.startIndex], text.startIndex + 1)
        guard plain.0 == 0x25 else { return plain }
        var rest = text.dropFirst()
        while rest.starts(with: [0x32, 0x35]), rest.count >= 4 { rest = rest.dropFirst(2) }
        let digits = rest.prefix(2).compactMap(\.hexadecimalValue)
        guard digits.count == 2 else { return plain }
        return (digits[0] << 4 | digits[1], rest.startIndex + 2)
    }
}
