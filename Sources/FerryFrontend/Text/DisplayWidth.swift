/// The number of columns that text takes on a terminal.
///
/// A grapheme cluster takes the columns of its widest scalar: two for East Asian wide and fullwidth characters
/// (Unicode Annex 11) and for emoji, none for combining characters. Ambiguous ones count as narrow, as terminals
/// outside East Asian legacy locales draw them.
package enum DisplayWidth {
    /// The columns of a text.
    package static func of(_ text: String) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// The columns of one character.
    static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if first.isASCII { return first.value < 0x20 || first.value == 0x7F ? 0 : 1 }
        // A variation selector 16 asks for the emoji form of a character that is text by default.
        if scalars.contains("\u{FE0F}") { return 2 }
        return scalars.reduce(0) { max($0, of($1)) }
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if properties.isEmojiPresentation || isWide(scalar.value) { return 2 }
        return 1
    }

    /// The blocks with wide or fullwidth characters in EastAsianWidth.txt; emoji are found by their own property.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
            0x20000...0x2FFFD, 0x30000...0x3FFFD:
            true
        default: false
        }
    }
}
