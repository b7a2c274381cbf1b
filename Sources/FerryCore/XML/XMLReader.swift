/// Reads an XML document from beginning to end, one token after the other.
///
/// It supports only what untrusted documents need: UTF-8, elements, attributes, namespaces, text, CDATA, and the five
/// built-in entities. A document type declaration is refused, and with it every custom entity. So nothing outside is
/// ever read, and a document never expands beyond its own bytes (I9). Everything else must be well-formed (XML 1.0,
/// fifth edition), or the whole document is refused.
package struct XMLReader {
    /// Maximum depth of nested elements.
    static let deepest = 64
    /// Maximum number of attributes of one element.
    static let mostAttributes = 64

    /// Maximum number of namespace prefixes in scope.
    static let mostNamespaces = 32

    /// A piece of the document.
    package enum Token: Hashable, Sendable {
        /// An element begins; an empty one ends with the next token.
        case start(Element)
        /// Text, references resolved; there may be several in a row.
        case text(String)
        /// The element that began last ends.
        case end
    }

    /// The beginning of an element.
    package struct Element: Hashable, Sendable {
        /// The namespace; empty for none.
        package var namespace: String
        /// The name without its prefix.
        package var name: String
        /// The attributes without a prefix, by name.
        package var attributes: [String: String]
    }

    /// Why a document is refused.
    package enum Refusal: Error, Hashable, Sendable {
        /// It is not UTF-8.
        case encoding
        /// It has a document type declaration.
        case documentType
        /// It is not well-formed.
        case malformed
        /// Elements are nested too deeply, or have too many attributes or namespaces.
        case tooLarge
    }

    struct Frame {
        /// The name as written.
        var name: ArraySlice<UInt8>
        /// The namespaces by prefix; the default one has an empty prefix.
        var namespaces: [String: String]
    }

    var rest: ArraySlice<UInt8>
    var open: [Frame] = []
    private var hasRoot = false
    /// Whether the end of an empty element is still to be reported.
    var endsAtOnce = false

    /// Begins to read a document.
    package init(_ bytes: [UInt8]) throws(Refusal) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .encoding }
        rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        if rest.starts(with: "<?xml".utf8), rest.dropFirst(5).first?.isXMLSpace == true {
            try readDeclaration()
        }
    }

    /// The next token; `nil` at the end of the document.
    package mutating func next() throws(Refusal) -> Token? {
        if endsAtOnce {
            endsAtOnce = false
            open.removeLast()
            return .end
        }
        while let byte = rest.first {
            if byte != 0x3C {
                guard let text = try readText() else { continue }
                return .text(text)
            }
            switch rest.dropFirst().first {
            case 0x2F?:
                try readEnd()
                return .end
            case 0x3F?: try skipInstruction()
            case 0x21?:
                if rest.starts(with: "<!--".utf8) {
                    try skipComment()
                } else if rest.starts(with: "<![CDATA[".utf8) {
                    return .text(try readData())
                } else {
                    throw .documentType
                }
            default:
                guard !open.isEmpty || !hasRoot else { throw .malformed }
                hasRoot = true
                return .start(try readStart())
            }
        }
        guard hasRoot, open.isEmpty else { throw .malformed }
        return nil
    }

    /// Takes everything before `mark`, and `mark` itself.
    mutating func take(until mark: String) throws(Refusal) -> ArraySlice<UInt8> {
        let mark = Array(mark.utf8)
        var place = rest.startIndex
        while let next = rest[place...].firstIndex(of: mark[0]) {
            if rest[next...].starts(with: mark) {
                defer { rest = rest[(next + mark.count)...] }
                return try Self.checked(rest[..<next])
            }
            place = next + 1
        }
        throw .malformed
    }

    /// Returns the bytes if all of them are characters that XML allows.
    static func checked(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> ArraySlice<UInt8> {
        var before: (UInt8, UInt8) = (0, 0)
        for byte in bytes {
            guard byte >= 0x20 || byte.isXMLSpace else { throw .malformed }
            // U+FFFE and U+FFFF.
            if before == (0xEF, 0xBF), byte == 0xBE || byte == 0xBF { throw .malformed }
            before = (before.1, byte)
        }
        return bytes
    }

    private mutating func skipComment() throws(Refusal) {
        rest = rest.dropFirst(4)
        _ = try take(until: "--")
        guard rest.popFirst() == 0x3E else { throw .malformed }
    }

    private mutating func skipInstruction() throws(Refusal) {
        rest = rest.dropFirst(2)
        let instruction = try take(until: "?>")
        let name = instruction.prefix { !$0.isXMLSpace }
        guard XMLName.isName(name), !name.equalsIgnoringASCIICase("xml".utf8) else { throw .malformed }
    }

    /// Reads `<?xml version="1.0" encoding="UTF-8"?>`. Anything but another encoding is accepted.
    private mutating func readDeclaration() throws(Refusal) {
        rest = rest.dropFirst(5)
        var declaration = try take(until: "?>")
        while true {
            let trimmed = declaration.drop(while: \.isXMLSpace)
            guard !trimmed.isEmpty else { return }
            guard trimmed.startIndex > declaration.startIndex else { throw .malformed }
            declaration = trimmed
            let (name, value) = try Self.readAttribute(&declaration)
            switch name.text {
            case "version": guard value.starts(with: "1.".utf8) else { throw .malformed }
            case "encoding":
                guard ["utf-8", "us-ascii"].contains(value.lowercasedASCIIText) else { throw .encoding }
            case "standalone": break
            default: throw .malformed
            }
        }
    }
}

extension UInt8 {
    /// White space as XML defines it.
    var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
