/// A URL with alternatives and sequences, as curl reads them: `https://h/{a,b}/[001-100:3].jpg`.
///
/// `{a,b}` stands for each of the texts, `[1-9]` and `[a-z]` for each number or letter, with `:2` for each second one. A number
/// with leading zeros gives all of them its width. The brackets of an IPv6 address, empty brackets, and what follows a backslash
/// stand for themselves.
package struct URLGlob: Hashable, Sendable {
    /// Why a text is no such URL.
    package enum Flaw: Error, Hashable, Sendable {
        /// A bracket or brace is not closed, or there is another one in it.
        case unclosed(Character)
        /// What is in the brackets is no sequence, such as 1-9 or a-z:2.
        case sequence
        /// It stands for more than ``URLGlob/most`` URLs.
        case tooMany
    }

    private enum Piece: Hashable, Sendable {
        case text([UInt8])
        case list([[UInt8]])
        case numbers(first: Int, count: Int, step: Int, width: Int)
        case letters(first: UInt8, count: Int, step: Int)

        var count: Int {
            switch self {
            case .text: 1
            case .list(let texts): texts.count
            case .numbers(_, let count, _, _), .letters(_, let count, _): count
            }
        }

        func append(_ place: Int, to text: inout [UInt8]) {
            switch self {
            case .text(let bytes): text += bytes
            case .list(let texts): text += texts[place]
            case .numbers(let first, _, let step, let width):
                let digits = String(first + place * step)
                text += repeatElement(UInt8(ascii: "0"), count: max(0, width - digits.utf8.count))
                text += digits.utf8
            case .letters(let first, _, let step): text.append(first + UInt8(place * step))
            }
        }
    }

    /// The largest number of URLs. More are for a list, which is never in memory as a whole.
    package static let most = 100_000
    /// The number of URLs that it stands for.
    package let count: Int
    private let pieces: [Piece]

    /// Reads a text.
    package init(parsing text: String) throws(Flaw) {
        var reader = Reader(Array(text.utf8))
        pieces = try reader.pieces()
        var product = 1
        for piece in pieces {
            let (more, isOver) = product.multipliedReportingOverflow(by: piece.count)
            guard !isOver, more <= Self.most else { throw .tooMany }
            product = more
        }
        count = product
    }

    /// The URL at a place, from 0. The last alternative changes first.
    package subscript(place: Int) -> String {
        var rest = place
        var places = [Int](repeating: 0, count: pieces.count)
        for index in pieces.indices.reversed() {
            places[index] = rest % pieces[index].count
            rest /= pieces[index].count
        }
        var text: [UInt8] = []
        for (piece, place) in zip(pieces, places) { piece.append(place, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }
}

extension URLGlob {
    private struct Reader {
        private let bytes: [UInt8]
        private var place = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func pieces() throws(Flaw) -> [Piece] {
            var (pieces, text): ([Piece], [UInt8]) = ([], [])
            func flush() {
                if !text.isEmpty { pieces.append(.text(text)) }
                text = []
            }
            while place < bytes.count {
                let byte = bytes[place]
                switch byte {
                case UInt8(ascii: "\\")
                where place + 1 < bytes.count && "{}[]".utf8.contains(bytes[place + 1]):
                    text.append(bytes[place + 1])
                    place += 2
                case UInt8(ascii: "{"):
                    flush()
                    pieces.append(.list(try list()))
                case UInt8(ascii: "["):
                    if let literal = literal() {
                        text += literal
                    } else {
                        flush()
                        pieces.append(try sequence())
                    }
                default:
                    text.append(byte)
                    place += 1
                }
            }
            flush()
            return pieces
        }

        /// What is up to the closing byte, which is passed.
        private mutating func content(closedBy end: Character) throws(Flaw) -> ArraySlice<UInt8> {
            let open = Character(UnicodeScalar(bytes[place]))
            let start = place + 1
            guard let close = bytes[start...].firstIndex(of: end.asciiValue ?? 0),
                !bytes[start..<close].contains(where: { "{[".utf8.contains($0) })
            else { throw .unclosed(open) }
            place = close + 1
            return bytes[start..<close]
        }

        private mutating func list() throws(Flaw) -> [[UInt8]] {
            try content(closedBy: "}").split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map(Array.init)
        }

        /// Brackets that stand for themselves: empty ones, and those of an IPv6 address.
        private mutating func literal() -> ArraySlice<UInt8>? {
            guard let close = bytes[place...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let content = bytes[(place + 1)..<close]
            // A sequence has a hyphen.
            let isAddress =
                content.count(where: { $0 == UInt8(ascii: ":") }) >= 2
                && !content.contains(UInt8(ascii: "-"))
            guard content.isEmpty || isAddress else { return nil }
            defer { place = close + 1 }
            return bytes[place...close]
        }

        private mutating func sequence() throws(Flaw) -> Piece {
            let content = try content(closedBy: "]")
            let halves = content.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            let ends = halves[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard halves.count <= 2, ends.count == 2 else { throw .sequence }
            var step = 1
            if halves.count == 2 {
                guard let given = Self.number(halves[1]), given > 0 else { throw .sequence }
                step = given
            }
            if let first = Self.number(ends[0]), let last = Self.number(ends[1]) {
                guard first <= last else { throw .sequence }
                let count = (last - first) / step + 1
                let isPadded = ends[0].count > 1 && ends[0].first == UInt8(ascii: "0")
                return .numbers(first: first, count: count, step: step, width: isPadded ? ends[0].count : 0)
            }
            guard ends[0].count == 1, ends[1].count == 1, let first = ends[0].first, let last = ends[1].first,
                first.isLetter, last.isLetter, first <= last, (first | 0x20 == first) == (last | 0x20 == last)
            else { throw .sequence }
            return .letters(first: first, count: Int(last - first) / step + 1, step: step)
        }

        private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
            guard (1...18).contains(digits.count), digits.allSatisfy(\.isDigit) else { return nil }
            return Int(String(decoding: digits, as: UTF8.self))
        }
    }
}

extension URLGlob.Flaw: CustomStringConvertible {
    /// What is wrong, in a sentence for a person.
    package var description: String {
        switch self {
        case .unclosed(let bracket): "There is a '\(bracket)' without its end."
        case .sequence: "What is in the brackets is no sequence, such as [1-100], [001-100:5] or [a-z]."
        case .tooMany: "It stands for more than \(URLGlob.most) URLs."
        }
    }
}
