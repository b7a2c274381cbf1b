import FerryFrontend

/// Reads the text of a configuration file: one JSON object (RFC 8259) of strings and numbers.
///
/// It is strict and tracks lines, because an unknown or repeated setting is a mistake that would otherwise go
/// unnoticed.
struct SettingsParser {
    /// A value and its line.
    struct Entry: Hashable, Sendable {
        var text: String
        var line: Int
    }

    /// A mistake and its line.
    struct Mistake: Error, Hashable, Sendable {
        var line: Int
        var reason: String
    }

    private let bytes: [UInt8]
    private var place = 0
    private var line = 1

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads a whole file; an empty file sets nothing.
    static func parse(_ bytes: [UInt8]) throws(Mistake) -> [SettingKey: Entry] {
        var parser = SettingsParser(bytes)
        return try parser.object()
    }

    private mutating func object() throws(Mistake) -> [SettingKey: Entry] {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Mistake(line: 1, reason: "the file is not UTF-8 text")
        }
        var entries: [SettingKey: Entry] = [:]
        guard skipSpace() != nil else { return entries }
        try take("{", "one object in braces, such as { \"jobs\": 3 }")
        if skipSpace() == "}" {
            place += 1
        } else {
            repeat { try member(&entries) } while try isFollowed()
        }
        guard skipSpace() == nil else { throw mistake("unexpected text after the closing brace") }
        return entries
    }

    private mutating func member(_ entries: inout [SettingKey: Entry]) throws(Mistake) {
        let next = skipSpace()
        if next == "}" { throw mistake("unexpected `}`; remove the trailing comma") }
        guard next == "\"" else { throw mistake("a key in quotation marks is missing") }
        let start = line
        let name = try string()
        guard let key = SettingKey(rawValue: name) else {
            let names = SettingKey.allCases.map(\.name).joined(separator: ", ")
            let shown = TerminalText.truncatedAtEnd(TerminalText.safe(name), to: 40)
            throw Mistake(line: start, reason: "unknown key \"\(shown)\"; the keys are \(names)")
        }
        if let earlier = entries[key] {
            throw Mistake(line: start, reason: "\(name) is already set in line \(earlier.line)")
        }
        _ = skipSpace()
        try take(":", "a colon after \"\(name)\"")
        let entry = try value(of: key)
        guard key.accepts(entry.text) else {
            throw Mistake(line: entry.line, reason: "\(name) must be \(key.allowed)")
        }
        // A relative path would depend on the working directory, and a service may be started in any.
        guard !key.isPath || entry.text.hasPrefix("/") || entry.text.hasPrefix("~/") || entry.text == "~"
        else {
            throw Mistake(line: entry.line, reason: "the path in \(name) must begin with / or ~/")
        }
        entries[key] = entry
    }

    private mutating func value(of key: SettingKey) throws(Mistake) -> Entry {
        let next = skipSpace()
        let start = line
        if next == "\"" { return Entry(text: try string(), line: start) }
        let end = bytes[place...].firstIndex { !Self.numberBytes.contains($0) } ?? bytes.count
        let number = String(decoding: bytes[place..<end], as: UTF8.self)
        // No leading zeros, and a point is followed by digits.
        let isNumber = number.wholeMatch(of: /(0|[1-9][0-9]*)(\.[0-9]+)?/) != nil
        guard key.isNumeric, isNumber else {
            throw Mistake(line: start, reason: "\(key.name) must be \(key.allowed)")
        }
        place = end
        return Entry(text: number, line: start)
    }

    /// The bytes of a number: no sign and no exponent.
    private static let numberBytes = Set("0123456789.".utf8)

    /// Consumes a comma or the closing brace; returns whether it was a comma.
    private mutating func isFollowed() throws(Mistake) -> Bool {
        switch skipSpace() {
        case ",":
            place += 1
            return true
        case "}":
            place += 1
            return false
        default: throw mistake("a comma or the closing brace is missing")
        }
    }

    // MARK: Texts

    private mutating func string() throws(Mistake) -> String {
        let start = line
        place += 1
        var text: [UInt8] = []
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += try escape()
            case 0..<0x20: throw Mistake(line: start, reason: "a string must end on its line")
            default: text.append(byte)
            }
        }
        throw Mistake(line: start, reason: "a closing quotation mark is missing")
    }

    private mutating func escape() throws(Mistake) -> [UInt8] {
        guard place < bytes.count else { throw mistake("a string ends with a backslash") }
        let byte = bytes[place]
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try unicode()
        default: throw mistake("unknown escape \\\(Character(Unicode.Scalar(byte)))")
        }
    }

    private mutating func unicode() throws(Mistake) -> [UInt8] {
        var units = [try codeUnit()]
        if (0xD800..<0xDC00).contains(units[0]), bytes[place...].starts(with: "\\u".utf8) {
            place += 2
            units.append(try codeUnit())
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw mistake("a \\u escape names half a character")
        }
        return Array(text.utf8)
    }

    private mutating func codeUnit() throws(Mistake) -> UInt16 {
        let digits = bytes[place...].prefix(4)
        let isHex = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        guard digits.count == 4, isHex, let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else {
            throw mistake("a \\u escape needs four hexadecimal digits")
        }
        place += 4
        return unit
    }

    // MARK: Pieces

    /// Moves to the next character that is not white space, and returns it; `nil` at the end.
    private mutating func skipSpace() -> Character? {
        while place < bytes.count {
            switch bytes[place] {
            case 0x0A:
                line += 1
                place += 1
            case 0x20, 0x09, 0x0D: place += 1
            case let byte: return Character(Unicode.Scalar(byte))
            }
        }
        return nil
    }

    private mutating func take(_ character: Character, _ what: String) throws(Mistake) {
        guard place < bytes.count, Character(Unicode.Scalar(bytes[place])) == character else {
            throw mistake("there must be \(what)")
        }
        place += 1
    }

    private func mistake(_ reason: String) -> Mistake {
        Mistake(line: line, reason: reason)
    }
}
