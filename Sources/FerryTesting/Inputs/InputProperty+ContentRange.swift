import FerryCore

extension InputProperty {
    /// A `Content-Range` parses if and only if it fits the grammar of RFC 9110 §14.4 and its numbers are in
    /// order. It is written as it was read.
    package static let contentRange = InputProperty("content-range") { input in
        let text = input.text
        let range = ContentRange(text)
        try require((range != nil) == isContentRange(text), "exactly what fits the grammar is read")
        guard let range else { return }
        try require(ContentRange(range.description) == range, "what is written is read as the same")
        switch range {
        case .bytes(let bytes, let total):
            try require(bytes.lowerBound >= 0 && !bytes.isEmpty, "a range holds a byte, and none before 0")
            try require(total.map { bytes.upperBound <= $0 } ?? true, "a range ends within its total")
        case .unsatisfied(let total):
            try require(total >= 0, "a total is never negative")
        }
    }

    /// The grammar again, implemented differently: numbers are compared as texts.
    private static func isContentRange(_ text: String) -> Bool {
        var value = Substring.UnicodeScalarView(text.unicodeScalars)
        while let first = value.first, first == " " || first == "\t" { value.removeFirst() }
        while let last = value.last, last == " " || last == "\t" { value.removeLast() }
        let prefix = String(value.prefix(6)).unicodeScalars.map {
            $0.isASCII ? $0.properties.lowercaseMapping : ""
        }
        guard prefix.joined() == "bytes " else { return false }
        let rest = String(value.dropFirst(6))
        guard let slash = rest.utf8.firstIndex(of: 0x2F) else { return false }
        let range = String(rest[..<slash])
        let total = String(rest.utf8[rest.utf8.index(after: slash)...]) ?? "?"
        guard total == "*" || isNumber(total, atMost: "9223372036854775807") else { return false }
        if range == "*" { return total != "*" }
        let ends = range.utf8.split(separator: 0x2D, omittingEmptySubsequences: false).map {
            String($0) ?? "?"
        }
        guard ends.count == 2, isNumber(ends[1], atMost: "9223372036854775806") else { return false }
        guard isNumber(ends[0], atMost: ends[1]) else { return false }
        return total == "*" || !isNumber(total, atMost: ends[1])
    }

    private static func isNumber(_ text: String, atMost limit: String) -> Bool {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        let digits = Array(text.utf8.drop { $0 == 0x30 })
        let most = Array(limit.utf8.drop { $0 == 0x30 })
        if digits.count != most.count { return digits.count < most.count }
        return !most.lexicographicallyPrecedes(digits)
    }
}
