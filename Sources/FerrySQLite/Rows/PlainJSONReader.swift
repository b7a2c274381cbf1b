/// A reader of what ``PlainJSON`` writes, for the few values that are read with every transfer.
///
/// It reads nothing else. What it does not expect it leaves out or misreads, so the caller writes the value again and compares
/// both texts: only if they are the same, it was read.
struct PlainJSONReader {
    private let octets: [UInt8]
    private var position = 0

    /// Begins at the first member of the outermost object.
    init(_ text: String) {
        octets = Array(text.utf8)
        _ = skip("{")
    }

    /// Reads a member that is an object; `nil` if another one comes next.
    mutating func member<Value>(
        _ key: StaticString,
        _ readMembers: (inout PlainJSONReader) -> Value?
    ) -> Value? {
        guard begin(key), skip("{") else { return nil }
        let value = readMembers(&self)
        _ = skip("}")
        return value
    }

    /// Reads a member that is a number; `nil` if another one comes next.
    mutating func number<Number: FixedWidthInteger>(_ key: StaticString) -> Number? {
        guard begin(key) else { return nil }
        let digits = octets[position...].prefix { $0 == 0x2D || (0x30...0x39).contains($0) }
        position += digits.count
        return Number(String(decoding: digits, as: UTF8.self))
    }

    /// Reads a member that is a string; `nil` if another one comes next.
    mutating func string(_ key: StaticString) -> String? {
        guard begin(key), skip("\"") else { return nil }
        var string: [UInt8] = []
        while position < octets.count, octets[position] != UInt8(ascii: "\"") {
            // Of the escapes, only those that stand for the next octet are read: entity tags have quotes.
            if octets[position] == UInt8(ascii: "\\") { position += 1 }
            guard position < octets.count else { return nil }
            string.append(octets[position])
            position += 1
        }
        _ = skip("\"")
        return String(decoding: string, as: UTF8.self)
    }

    /// Skips a key, if it comes next.
    private mutating func begin(_ key: StaticString) -> Bool {
        let start = position
        _ = skip(",")
        guard skip("\""), skip(key), skip("\""), skip(":") else {
            position = start
            return false
        }
        return true
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard octets[position...].starts(with: text) else { return false }
            position += text.count
            return true
        }
    }
}
