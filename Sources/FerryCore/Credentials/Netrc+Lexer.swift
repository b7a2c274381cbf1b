extension Netrc {
    /// Splits a `.netrc` file into tokens; each octet is visited once.
    struct Lexer {
        /// A word, with the line in which it starts.
        struct Token {
            var text: String
            var line: Int
        }

        private let bytes: [UInt8]
        private var index = 0
        private var line = 1

        init(_ text: String) {
            bytes = Array(text.utf8)
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        }

        /// The next token; `nil` at the end.
        mutating func next() throws(Netrc.ParseError) -> Token? {
            skipSpaceAndComments()
            guard index < bytes.count else { return nil }
            let start = line
            guard bytes[index] == 0x22 else {
                let first = index
                while index < bytes.count, !Self.isSpace(bytes[index]) { index += 1 }
                return Token(text: bytes[first..<index].text, line: start)
            }
            return Token(text: try quoted(), line: start)
        }

        /// The token after a keyword.
        mutating func value(of keyword: Token) throws(Netrc.ParseError) -> String {
            guard let value = try next() else {
                throw .missingValue(word: keyword.text, line: keyword.line)
            }
            return value.text
        }

        /// Skips the lines of a macro, up to an empty line or the end of the file.
        mutating func skipMacro() {
            skipLine()
            while index < bytes.count {
                let start = index
                skipLine()
                if bytes[start..<index].allSatisfy(Self.isSpace) { return }
            }
        }

        private mutating func quoted() throws(Netrc.ParseError) -> String {
            index += 1
            var value: [UInt8] = []
            while index < bytes.count, bytes[index] != 0x0A {
                let byte = bytes[index]
                index += 1
                switch byte {
                case 0x22:
                    return value.text
                case 0x5C where index < bytes.count && bytes[index] != 0x0A:
                    value.append(Self.unescaped(bytes[index]))
                    index += 1
                default:
                    value.append(byte)
                }
            }
            throw .unclosedQuote(line: line)
        }

        private static func unescaped(_ byte: UInt8) -> UInt8 {
            switch byte {
            case 0x6E: 0x0A
            case 0x72: 0x0D
            case 0x74: 0x09
            default: byte
            }
        }

        private mutating func skipSpaceAndComments() {
            while index < bytes.count {
                if bytes[index] == 0x23 {
                    skipLine()
                } else if Self.isSpace(bytes[index]) {
                    if bytes[index] == 0x0A { line += 1 }
                    index += 1
                } else {
                    return
                }
            }
        }

        /// Moves to the start of the next line.
        private mutating func skipLine() {
            while index < bytes.count, bytes[index] != 0x0A { index += 1 }
            guard index < bytes.count else { return }
            index += 1
            line += 1
        }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    }
}
