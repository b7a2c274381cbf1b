/// A pattern of keys: `*` is any text, also with slashes, `?` any character, `[a-z]` one of these and `[!a-z]` none of
/// these. `[*]` is an asterisk. A bracket that is never closed stands for itself.
package struct KeyPattern: Hashable, Sendable {
    /// What every key that matches begins with.
    package let literalPrefix: String
    private let pieces: [Piece]

    private enum Piece: Hashable {
        case one(Unicode.Scalar)
        case anyOne
        case anyText
        case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)

        func matches(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .one(let own): own == scalar
            case .anyOne: true
            case .anyText: false
            case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
            }
        }
    }

    /// Reads a pattern; `nil` for a text that is a plain key.
    package init?(_ text: String) {
        var pieces: [Piece] = []
        var rest = Substring(text).unicodeScalars
        while let scalar = rest.popFirst() {
            switch scalar {
            // Two of them are no more than one.
            case "*": if pieces.last != .anyText { pieces.append(.anyText) }
            case "?": pieces.append(.anyOne)
            case "[": pieces.append(Self.choice(&rest) ?? .one(scalar))
            default: pieces.append(.one(scalar))
            }
        }
        var prefix = ""
        for case .one(let scalar) in pieces.prefix(while: { if case .one = $0 { true } else { false } }) {
            prefix.unicodeScalars.append(scalar)
        }
        guard prefix.unicodeScalars.count < pieces.count else { return nil }
        (literalPrefix, self.pieces) = (prefix, pieces)
    }

    /// Reads a choice after its opening bracket; `nil` if nothing closes it. A bracket that comes first does not.
    private static func choice(_ rest: inout Substring.UnicodeScalarView) -> Piece? {
        var text = rest
        let isNegated = text.first == "!" || text.first == "^"
        if isNegated { text.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while let low = text.popFirst() {
            if low == "]", !ranges.isEmpty {
                rest = text
                return .oneOf(ranges, isNegated: isNegated)
            }
            let high = text.dropFirst().first
            guard text.first == "-", let high, high != "]", low <= high else {
                ranges.append(low...low)
                continue
            }
            ranges.append(low...high)
            text = text.dropFirst(2)
        }
        return nil
    }

    /// Whether the pattern matches a whole key.
    package func matches(_ key: String) -> Bool {
        let scalars = Array(key.unicodeScalars)
        var (place, piece) = (0, 0)
        // Where the latest `*` stands, and how far its text goes.
        var star: (piece: Int, place: Int)?
        while place < scalars.count {
            if piece < pieces.count, pieces[piece].matches(scalars[place]) {
                (place, piece) = (place + 1, piece + 1)
            } else if piece < pieces.count, pieces[piece] == .anyText {
                star = (piece, place)
                piece += 1
            } else if let latest = star {
                star = (latest.piece, latest.place + 1)
                (place, piece) = (latest.place + 1, latest.piece + 1)
            } else {
                return false
            }
        }
        return pieces[piece...].allSatisfy { $0 == .anyText }
    }
}
