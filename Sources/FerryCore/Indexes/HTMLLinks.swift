/// The links of an HTML page, each with the text that follows it.
///
/// This is no HTML parser. It reads what pages that list a directory consist of, and takes any other bytes without harm:
/// every octet is looked at once, and one link is kept at a time.
struct HTMLLinks: Sequence, IteratorProtocol {
    /// An `a` element with an `href`.
    struct Link: Hashable {
        /// The value of `href`, with its character references resolved.
        var target: String
        /// The text after the element, up to the next link or the end of the row, list item or line.
        var remark: String
    }

    /// Length of the longest text that is collected after a link, in bytes. The rest of a longer one is left out.
    private static let longestRemark = 4_096
    /// Length of the longest `href` that is read, in bytes. Each character of it may be written as a reference.
    private static let longestTarget = 10 * HTTPURL.lengthLimit

    private var rest: ArraySlice<UInt8>
    /// The last link that was read, whose remark may still come.
    private var last: Link?
    /// A link that was read with its remark.
    private var finished: Link?
    /// The text after the last link; `nil` while none is collected.
    private var remark: [UInt8]?

    /// Begins to read a page.
    init(_ page: [UInt8]) { rest = page[...] }

    /// Reads on to the end of a link and its remark.
    mutating func next() -> Link? {
        while finished == nil, let byte = rest.first {
            if byte == UInt8(ascii: "<") { takeMarkup() } else { takeText() }
        }
        if finished == nil { begin(nil) }
        defer { finished = nil }
        return finished
    }

    /// Ends the last link, and begins another one.
    private mutating func begin(_ link: Link?) {
        endRemark()
        (finished, last) = (last, link)
    }

    private mutating func collect(_ text: ArraySlice<UInt8>) {
        guard let length = remark?.count, length < Self.longestRemark else { return }
        remark?.append(contentsOf: text.prefix(Self.longestRemark - length))
    }

    private mutating func takeText() {
        let text = rest.prefix { $0 != UInt8(ascii: "<") }
        rest = rest[text.endIndex...]
        collect(text)
    }

    private mutating func takeMarkup() {
        if rest.starts(with: "<!--".utf8) { return skip(past: "-->") }
        var tag = Tag(at: rest)
        guard tag.readName() else {
            // A `<` that begins no tag is text (HTML, "tag open state").
            collect(rest.prefix(1))
            rest = rest.dropFirst()
            return
        }
        let target = tag.readAttributes(lookingFor: "href")
        rest = tag.rest
        switch (tag.name, tag.isEnd) {
        case ("a", false):
            endRemark()
            if let target, target.count <= Self.longestTarget {
                begin(Link(target: Self.resolved(target), remark: ""))
            }
        case ("a", true): if last?.remark.isEmpty == true { remark = remark ?? [] }
        case ("script", false), ("style", false): skip(past: "</\(tag.name)")
        case ("tr", true), ("li", true), ("pre", true), ("hr", _), ("table", true), ("ul", true): endRemark()
        default: collect([UInt8(ascii: " ")])
        }
    }

    private mutating func endRemark() {
        defer { remark = nil }
        guard let remark else { return }
        last?.remark = Self.resolved(remark[...])
            .split { $0.isWhitespace || $0 == "\u{A0}" }.joined(separator: " ")
    }

    private mutating func skip(past mark: String) {
        let mark = Array(mark.utf8)
        while !rest.isEmpty {
            guard let start = rest.firstIndex(of: mark[0]) else { break }
            rest = rest[start...]
            if rest.prefix(mark.count).equalsIgnoringASCIICase(mark) {
                rest = rest.dropFirst(mark.count)
                return
            }
            rest = rest.dropFirst()
        }
        rest = []
    }
}

// MARK: Tags

extension HTMLLinks {
    /// A tag as it is read.
    private struct Tag {
        var rest: ArraySlice<UInt8>
        var name = ""
        var isEnd = false

        init(at rest: ArraySlice<UInt8>) { self.rest = rest.dropFirst() }

        /// Reads the name; `false` if there is none.
        mutating func readName() -> Bool {
            if rest.first == UInt8(ascii: "/") {
                isEnd = true
                rest = rest.dropFirst()
            }
            guard let first = rest.first,
                first.isLetter || first == UInt8(ascii: "!") || first == UInt8(ascii: "?")
            else { return false }
            let bytes = rest.prefix { !$0.isHTMLSpace && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
            name = bytes.lowercasedASCIIText
            rest = rest[bytes.endIndex...]
            return true
        }

        /// Reads to the end of the tag; returns the first value of an attribute.
        mutating func readAttributes(lookingFor wanted: String) -> ArraySlice<UInt8>? {
            var found: ArraySlice<UInt8>?
            while true {
                rest = rest.drop { $0.isHTMLSpace || $0 == UInt8(ascii: "/") }
                guard let byte = rest.first else { return found }
                if byte == UInt8(ascii: ">") {
                    rest = rest.dropFirst()
                    return found
                }
                let name = rest.prefix { byte in !byte.isHTMLSpace && !"=>/".utf8.contains(byte) }
                // An attribute may begin with "=" (HTML, "before attribute name state").
                rest = rest[(name.isEmpty ? rest.startIndex + 1 : name.endIndex)...]
                let value = readValue()
                if found == nil, let value, name.equalsIgnoringASCIICase(wanted.utf8) { found = value }
            }
        }

        private mutating func readValue() -> ArraySlice<UInt8>? {
            let after = rest.drop(while: \.isHTMLSpace)
            guard after.first == UInt8(ascii: "=") else { return nil }
            rest = after.dropFirst().drop(while: \.isHTMLSpace)
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                let value = rest.dropFirst().prefix { $0 != quote }
                rest = rest[value.endIndex...].dropFirst()
                return value
            }
            let value = rest.prefix { !$0.isHTMLSpace && $0 != UInt8(ascii: ">") }
            rest = rest[value.endIndex...]
            return value
        }
    }
}

// MARK: Character references

extension HTMLLinks {
    /// The characters that pages of servers write by name.
    private static let named = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
    ]

    /// Text with its character references resolved; what is none stays as it is.
    static func resolved(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return bytes.text }
        var output: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&"),
                let end = rest.prefix(longestReference).firstIndex(of: UInt8(ascii: ";")),
                let character = character(rest[..<end])
            else {
                output.append(byte)
                continue
            }
            output += character.utf8
            rest = rest[(end + 1)...]
        }
        return output.text
    }

    /// The longest reference that is looked for, in bytes, with its semicolon.
    private static let longestReference = 10

    private static func character(_ reference: ArraySlice<UInt8>) -> String? {
        guard reference.first == UInt8(ascii: "#") else { return named[reference.text] }
        let digits = reference.dropFirst()
        let isHexadecimal = digits.first.map { $0.lowercasedASCII == UInt8(ascii: "x") } ?? false
        let text = (isHexadecimal ? digits.dropFirst() : digits).text
        guard text.utf8.first?.hexadecimalValue != nil,
            let number = UInt32(text, radix: isHexadecimal ? 16 : 10), number != 0,
            let scalar = Unicode.Scalar(number)
        else { return nil }
        return String(scalar)
    }
}

extension UInt8 {
    /// White space of HTML: tab, line feed, form feed, carriage return, space.
    fileprivate var isHTMLSpace: Bool { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(self) }
}
