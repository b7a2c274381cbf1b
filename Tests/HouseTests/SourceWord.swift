/// One token of a Swift source. Comments and the text of literals are omitted; interpolations are included.
struct SourceWord: Equatable {
    var text: String
    var line: Int
    /// Whether a dot precedes it, so that it is a member.
    var isMember = false

    /// Whether it is a name or a keyword.
    var isName: Bool { text.utf8.first.map(Reader.isNameByte) == true }

    /// The tokens of a source, in order.
    static func all(in text: String) -> [SourceWord] {
        var reader = Reader(bytes: Array(text.utf8))
        reader.readCode(untilParenthesis: false)
        return reader.words
    }

    /// Reads the names, comments and literals of Swift.
    private struct Reader {
        let bytes: [UInt8]
        var position = 0
        var line = 1
        var words: [SourceWord] = []

        /// Letters, digits, `_`, and every non-ASCII byte.
        static func isNameByte(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x80...: true
            default: false
            }
        }

        func byte(_ ahead: Int = 0) -> UInt8 {
            position + ahead < bytes.count ? bytes[position + ahead] : 0
        }

        mutating func skip(_ count: Int = 1) {
            for _ in 0..<count where position < bytes.count {
                if bytes[position] == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
        }

        /// Reads to the end, or to the parenthesis that ends an interpolation.
        mutating func readCode(untilParenthesis: Bool) {
            var depth = 0
            while position < bytes.count {
                let next = byte()
                switch next {
                case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
                    while position < bytes.count, byte() != UInt8(ascii: "\n") { skip() }
                case UInt8(ascii: "\""):
                    readLiteral(marks: 0)
                case UInt8(ascii: "#") where startsRawLiteral:
                    var marks = 0
                    while byte() == UInt8(ascii: "#") { (marks, position) = (marks + 1, position + 1) }
                    readLiteral(marks: marks)
                case _ where Self.isNameByte(next):
                    readName()
                case UInt8(ascii: " "), UInt8(ascii: "\n"):
                    skip()
                default:
                    if next == UInt8(ascii: "(") { depth += 1 }
                    if next == UInt8(ascii: ")") {
                        if untilParenthesis, depth == 0 { return }
                        depth -= 1
                    }
                    words.append(SourceWord(text: String(UnicodeScalar(next)), line: line))
                    skip()
                }
            }
        }

        private var startsRawLiteral: Bool {
            var ahead = 0
            while byte(ahead) == UInt8(ascii: "#") { ahead += 1 }
            return byte(ahead) == UInt8(ascii: "\"")
        }

        private mutating func readName() {
            let start = position
            while position < bytes.count, Self.isNameByte(bytes[position]) { position += 1 }
            let isMember = start > 0 && bytes[start - 1] == UInt8(ascii: ".")
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            words.append(SourceWord(text: text, line: line, isMember: isMember))
        }

        private func stands(_ text: [UInt8]) -> Bool {
            position + text.count <= bytes.count
                && bytes[position..<position + text.count].elementsEqual(text)
        }

        /// Reads a literal from its quotation mark. Only its interpolations give tokens.
        private mutating func readLiteral(marks: Int) {
            let hashes = [UInt8](repeating: UInt8(ascii: "#"), count: marks)
            let quote = [UInt8](repeating: UInt8(ascii: "\""), count: stands(Array("\"\"\"".utf8)) ? 3 : 1)
            let (end, escape) = (quote + hashes, Array("\\".utf8) + hashes)
            skip(quote.count)
            while position < bytes.count, !stands(end) {
                guard stands(escape) else {
                    skip()
                    continue
                }
                skip(escape.count)
                if byte() == UInt8(ascii: "(") {
                    skip()
                    readCode(untilParenthesis: true)
                }
                skip()
            }
            skip(end.count)
        }
    }
}
