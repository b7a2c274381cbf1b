internal import FerryCore

/// Reads the ASCII armor of a sealed file, in pieces (RFC 7468 §3, in its strict form). White space may stand before and
/// after it, and lines may end in CRLF.
package struct ArmorReader: Sendable {
    private enum Place {
        case before
        case inside
        /// A line shorter than the others was read; only the end may follow.
        case atEnd
        case after
    }

    private var place = Place.before
    private var line: [UInt8] = []
    private var number = 0

    private static let columns = 64
    /// The most white space before the armor, in bytes.
    private static let mostSpace = 1 << 10

    /// Creates a reader.
    package init() {}

    /// Whether a file with this beginning is in ASCII armor. 1 KiB is enough to tell.
    package static func isArmored(_ beginning: some Collection<UInt8>) -> Bool {
        beginning.prefix(mostSpace + SealedMark.armor.count).drop { isSpace($0) }.starts(
            with: SealedMark.armor
        )
    }

    /// Takes a piece of the text.
    ///
    /// - Returns: the bytes that it stands for.
    /// - Throws: ``SealedProblem``: `armor`, or `notSealed`.
    package mutating func take(_ text: some Sequence<UInt8>) throws(SealedProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text {
            if byte == 0x0A {
                number += 1
                try takeLine(into: &bytes)
            } else {
                line.append(byte)
                guard line.count <= Self.mostSpace + SealedMark.armor.count else { throw tooLong }
            }
        }
        return bytes
    }

    /// Takes the end of the text.
    ///
    /// - Returns: the bytes of a last line that has no end.
    /// - Throws: ``SealedProblem/armor(_:)`` when the armor has not ended.
    package mutating func finish() throws(SealedProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        if !line.isEmpty {
            number += 1
            try takeLine(into: &bytes)
        }
        guard place == .after else { throw .armor(.ends) }
        return bytes
    }

    private var tooLong: SealedProblem {
        switch place {
        case .before: .armor(.leading)
        case .inside, .atEnd: .armor(.length(line: number + 1))
        case .after: .armor(.trailing(line: number + 1))
        }
    }

    private mutating func takeLine(into bytes: inout [UInt8]) throws(SealedProblem) {
        var text = line[...]
        if text.last == 0x0D { text = text.dropLast() }
        defer { line = [] }
        switch place {
        case .before:
            let words = text.drop { Self.isSpace($0) }
            if words.isEmpty { return }
            guard words.elementsEqual(SealedMark.armor) else { throw .notSealed }
            place = .inside
        case .inside, .atEnd:
            if text.elementsEqual(SealedMark.armorEnd) {
                place = .after
            } else {
                bytes += try octets(text)
            }
        case .after:
            guard text.allSatisfy({ Self.isSpace($0) }) else { throw .armor(.trailing(line: number)) }
        }
    }

    /// The bytes of a line. Only the last one may be shorter than the others or have padding.
    private mutating func octets(_ text: ArraySlice<UInt8>) throws(SealedProblem) -> [UInt8] {
        guard place == .inside, !text.isEmpty, text.count <= Self.columns else {
            throw .armor(.length(line: number))
        }
        guard let octets = Base64.decoded(text), Base64.encoded(octets).utf8.elementsEqual(text) else {
            throw .armor(.base64(line: number))
        }
        if text.count < Self.columns || text.last == 0x3D { place = .atEnd }
        return octets
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
