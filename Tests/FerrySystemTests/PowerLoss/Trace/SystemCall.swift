/// A system call that has ended, as strace wrote it.
struct SystemCall: Sendable {
    /// The thread that made it.
    var thread: Int
    var name: String
    /// Its arguments as text: numbers, flags and quoted strings.
    var arguments: [ArraySlice<UInt8>]
    /// Its result; `nil` if it never returned.
    var result: Int?
    /// The name of its error, such as `ENOENT`.
    var error: String?

    /// An argument as text, for numbers and flags.
    func text(_ index: Int) throws -> String {
        guard arguments.indices.contains(index) else {
            throw TraceProblem("\(name) has no argument \(index)")
        }
        return String(decoding: arguments[index], as: UTF8.self)
    }

    /// An argument that is a number.
    func number(_ index: Int) throws -> Int {
        let text = try text(index)
        guard let number = Int(text) else { throw TraceProblem("\(name): \(text) is no number") }
        return number
    }

    /// The flags of an argument, which strace joins with bars.
    func flags(_ index: Int) throws -> Set<String> {
        Set(try text(index).split(separator: "|").map(String.init))
    }

    /// The bytes of a string argument. strace writes all of them in hexadecimal.
    func bytes(_ index: Int) throws -> [UInt8] {
        guard arguments.indices.contains(index) else {
            throw TraceProblem("\(name) has no argument \(index)")
        }
        return try Self.decode(arguments[index], of: name)
    }

    /// The bytes of a string argument, or of the first string of a vector.
    func firstBytes(_ index: Int) throws -> [UInt8] {
        guard arguments.indices.contains(index) else { return [] }
        let quote = UInt8(ascii: "\"")
        let quoted = arguments[index].drop { $0 != quote }
        guard let end = quoted.dropFirst().firstIndex(of: quote) else { return [] }
        return try Self.decode(quoted[...end], of: name)
    }

    /// A string argument as a path.
    func path(_ index: Int) throws -> String { String(decoding: try bytes(index), as: UTF8.self) }

    private static func decode(_ quoted: ArraySlice<UInt8>, of name: String) throws -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        // Dots after the closing quote mean that strace omitted some bytes.
        guard quoted.count >= 2, quoted.first == quote, quoted.last == quote, (quoted.count - 2) % 4 == 0
        else { throw TraceProblem("\(name): a string is not whole") }
        return try quoted.dropFirst().dropLast().withUnsafeBufferPointer { text in
            var bytes = [UInt8](repeating: 0, count: text.count / 4)
            for index in bytes.indices {
                let at = index * 4
                let high = hexadecimal[Int(text[at + 2])]
                let low = hexadecimal[Int(text[at + 3])]
                guard text[at] == UInt8(ascii: "\\"), text[at + 1] == UInt8(ascii: "x"), high | low < 16
                else { throw TraceProblem("\(name): a string is not in hexadecimal") }
                bytes[index] = high << 4 | low
            }
            return bytes
        }
    }

    /// The value of each hexadecimal digit; 255 for other bytes.
    private static let hexadecimal: [UInt8] = (0...255).map { byte in
        Character(UnicodeScalar(byte)).isASCII
            ? Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init) ?? 255 : 255
    }
}
