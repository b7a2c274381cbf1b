/// Checks whether bytes are one JSON text (RFC 8259), and reads its values as they are written: no digit of a number is
/// lost.
package struct JSONText {
    /// How deeply arrays and objects may nest, so that the check needs little stack.
    package static let deepest = 512

    private let bytes: ArraySlice<UInt8>
    private var place: Int
    /// Where the strings are that are values, in order; `nil` if they are not asked for.
    private var strings: [Range<Int>]?
    /// The values that are looked for.
    private var search: JSONSearch?

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// Whether the bytes are one JSON text in UTF-8.
    package static func isValid(_ bytes: [UInt8]) -> Bool { whole(bytes) { _ in } != nil }

    /// The read text; `nil` unless the bytes are one JSON text in UTF-8.
    private static func whole(_ bytes: [UInt8], _ prepare: (inout JSONText) -> Void) -> JSONText? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var text = JSONText(bytes[...])
        prepare(&text)
        guard text.takeValue(depth: 0, at: text.search?.whole) else { return nil }
        text.skipSpace()
        return text.next == nil ? text : nil
    }

    private var next: UInt8? { place < bytes.endIndex ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte.isBlank || byte == 0x0A || byte == 0x0D { place += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func takeWord(_ word: String) -> Bool {
        guard bytes[place...].starts(with: word.utf8) else { return false }
        place += word.utf8.count
        return true
    }

    /// - Parameter goal: the place of the value, if something is looked for at or below it.
    private mutating func takeValue(depth: Int, at goal: JSONSearch.Place? = nil) -> Bool {
        guard depth < Self.deepest else { return false }
        skipSpace()
        let start = place
        let isWhole =
            switch next {
            case UInt8(ascii: "{"): takeList(closedBy: "}") { $0.takeMember(depth: depth, of: goal) }
            case UInt8(ascii: "["): takeElements(depth: depth, of: goal)
            case UInt8(ascii: "\""): takeString()
            case UInt8(ascii: "t"): takeWord("true")
            case UInt8(ascii: "f"): takeWord("false")
            case UInt8(ascii: "n"): takeWord("null")
            default: takeNumber()
            }
        guard isWhole else { return false }
        if bytes[start] == UInt8(ascii: "\"") { strings?.append(start..<place) }
        if let goal { search?.found(start..<place, at: goal) }
        return true
    }

    private mutating func takeElements(depth: Int, of goal: JSONSearch.Place?) -> Bool {
        var index = 0
        return takeList(closedBy: "]") { text in
            defer { index += 1 }
            let inner = goal.flatMap { text.search?.element(index, of: $0) }
            return text.takeValue(depth: depth + 1, at: inner)
        }
    }

    private mutating func takeList(
        closedBy end: Unicode.Scalar,
        _ takeElement: (inout JSONText) -> Bool
    ) -> Bool {
        place += 1
        skipSpace()
        if take(end) { return true }
        repeat {
            guard takeElement(&self) else { return false }
            skipSpace()
        } while take(",")
        return take(end)
    }

    private mutating func takeMember(depth: Int, of goal: JSONSearch.Place?) -> Bool {
        skipSpace()
        let start = place
        guard takeString() else { return false }
        let inner = goal.flatMap { search?.member(bytes[start..<place], of: $0) }
        skipSpace()
        return take(":") && takeValue(depth: depth + 1, at: inner)
    }

    private mutating func takeString() -> Bool {
        guard take("\"") else { return false }
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard takeEscape() else { return false }
            case 0..<0x20: return false
            default: break
            }
        }
        return false
    }

    private mutating func takeEscape() -> Bool {
        if take("u") {
            for _ in 0..<4 {
                guard next?.hexadecimalValue != nil else { return false }
                place += 1
            }
            return true
        }
        guard let byte = next, "\"\\/bfnrt".utf8.contains(byte) else { return false }
        place += 1
        return true
    }

    private mutating func takeDigits() -> Bool {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        return place > start
    }

    private mutating func takeNumber() -> Bool {
        _ = take("-")
        if !take("0") { guard takeDigits() else { return false } }
        if take(".") { guard takeDigits() else { return false } }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            return takeDigits()
        }
        return true
    }
}

// MARK: Reading

extension JSONText {
    /// The values at some places, as they are written; `nil` unless the bytes are one JSON text in UTF-8.
    ///
    /// The text is read once, and only these values are noted. A place has no result if its value is missing, or if a name
    /// on the way is not unique.
    package static func values(
        at pointers: some Sequence<JSONPointer>,
        in bytes: [UInt8]
    ) -> [JSONPointer: ArraySlice<UInt8>]? {
        guard let text = whole(bytes, { $0.search = JSONSearch(for: pointers) }) else { return nil }
        return text.search?.results.mapValues { bytes[$0] }
    }

    /// A member of an object.
    package struct Member {
        /// The name, without its escapes.
        package var name: String
        /// The value as it is written.
        package var value: ArraySlice<UInt8>
    }

    /// The members of an object, in order; `nil` if the bytes are not one JSON object in UTF-8.
    package static func members(of bytes: ArraySlice<UInt8>) -> [Member]? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var text = JSONText(bytes)
        var members: [Member] = []
        text.skipSpace()
        guard text.next == UInt8(ascii: "{") else { return nil }
        let isWhole = text.takeList(closedBy: "}") { text in
            guard let (name, value) = text.takenMember(), let name else { return false }
            members.append(Member(name: name, value: value))
            return true
        }
        text.skipSpace()
        return isWhole && text.next == nil ? members : nil
    }

    /// The elements of an array as they are written; `nil` if a valid text is no array.
    package static func elements(of value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var text = JSONText(value)
        var elements: [ArraySlice<UInt8>] = []
        text.skipSpace()
        guard text.next == UInt8(ascii: "[") else { return nil }
        let isWhole = text.takeList(closedBy: "]") { text in
            guard let value = text.takenValue() else { return false }
            elements.append(value)
            return true
        }
        return isWhole ? elements : nil
    }

    /// The elements of an array as they are written, one after the other, so that many of them take no memory.
    package struct Elements: Sequence, IteratorProtocol {
        private var text: JSONText
        private var isOver: Bool

        /// Begins to read an array; `nil` if a valid text is none.
        package init?(of value: ArraySlice<UInt8>) {
            var text = JSONText(value)
            text.skipSpace()
            guard text.take("[") else { return nil }
            text.skipSpace()
            isOver = text.take("]")
            self.text = text
        }

        package mutating func next() -> ArraySlice<UInt8>? {
            guard !isOver, let value = text.takenValue() else { return nil }
            text.skipSpace()
            isOver = !text.take(",")
            return value
        }
    }

    /// The value of the first member of an object that has a name; `nil` if a valid text is no object, or has no such member.
    package static func member(_ name: String, of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var text = JSONText(bytes)
        text.skipSpace()
        guard text.take("{") else { return nil }
        repeat {
            guard let member = text.takenMember() else { return nil }
            if member.name?.hasSameOctets(as: name) == true { return member.value }
            text.skipSpace()
        } while text.take(",")
        return nil
    }

    /// Takes a member of an object. It has no name if the name has half of a surrogate pair.
    private mutating func takenMember() -> (name: String?, value: ArraySlice<UInt8>)? {
        skipSpace()
        let start = place
        guard takeString() else { return nil }
        let name = Self.string(bytes[start..<place])
        skipSpace()
        guard take(":"), let value = takenValue() else { return nil }
        return (name, value)
    }

    /// The characters of a string; `nil` if a valid text is no string, or has half of a surrogate pair.
    package static func string(_ value: ArraySlice<UInt8>) -> String? {
        guard value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") else {
            return nil
        }
        let characters = value.dropFirst().dropLast()
        // Few strings have escapes.
        guard characters.contains(UInt8(ascii: "\\")) else { return characters.text }
        var units: [UInt16] = []
        var rest = characters.text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                units += scalar.utf16
                continue
            }
            switch rest.popFirst() {
            case "u"?:
                let digits = rest.prefix(4)
                rest = rest.dropFirst(4)
                guard let unit = UInt16(String(String.UnicodeScalarView(digits)), radix: 16) else {
                    return nil
                }
                units.append(unit)
            case "b"?: units.append(0x08)
            case "f"?: units.append(0x0C)
            case "n"?: units.append(0x0A)
            case "r"?: units.append(0x0D)
            case "t"?: units.append(0x09)
            case let other?: units += other.utf16
            case nil: return nil
            }
        }
        return String(validating: units, as: UTF16.self)
    }

    /// Takes a value; returns it as it is written.
    private mutating func takenValue() -> ArraySlice<UInt8>? {
        skipSpace()
        let start = place
        return takeValue(depth: 1) ? bytes[start..<place] : nil
    }
}

// MARK: Writing

extension JSONText {
    /// A text as a JSON string.
    package static func quoted(_ text: String) -> String {
        var octets: [UInt8] = []
        write(text, to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }

    /// Appends a text as a JSON string as RFC 8259 §7 has it: only what must be escaped is.
    package static func write(_ text: String, to octets: inout [UInt8]) {
        octets.append(UInt8(ascii: "\""))
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "\""): octets.append(contentsOf: #"\""#.utf8)
            case UInt8(ascii: "\\"): octets.append(contentsOf: #"\\"#.utf8)
            case 0x08: octets.append(contentsOf: #"\b"#.utf8)
            case 0x09: octets.append(contentsOf: #"\t"#.utf8)
            case 0x0A: octets.append(contentsOf: #"\n"#.utf8)
            case 0x0C: octets.append(contentsOf: #"\f"#.utf8)
            case 0x0D: octets.append(contentsOf: #"\r"#.utf8)
            case ..<0x20:
                let digits = String(octet, radix: 16)
                octets.append(contentsOf: (octet < 0x10 ? #"\u000"# : #"\u00"#).utf8)
                octets.append(contentsOf: digits.utf8)
            default: octets.append(octet)
            }
        }
        octets.append(UInt8(ascii: "\""))
    }

    /// The same JSON text with other values in place of some of its strings; all else stays byte for byte. Names of
    /// members are no values. Returns `nil` if the bytes are not one JSON text in UTF-8.
    ///
    /// - Parameter replacement: returns the JSON value to put in place of a string; `nil` leaves it.
    static func replacingStrings<Failure: Error>(
        of bytes: [UInt8],
        _ replacement: (String) throws(Failure) -> String?
    ) throws(Failure) -> [UInt8]? {
        guard let strings = whole(bytes, { $0.strings = [] })?.strings else { return nil }
        var result: [UInt8] = []
        var done = bytes.startIndex
        for range in strings {
            guard let string = string(bytes[range]), let value = try replacement(string) else { continue }
            result += bytes[done..<range.lowerBound] + Array(value.utf8)
            done = range.upperBound
        }
        return result + bytes[done...]
    }
}
