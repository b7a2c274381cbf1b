/// Puts values in place of their names in braces. No value is searched for names again.
struct Placeholders: Sendable {
    /// How many bytes the values may have in a part of a message, so that many places with a long value need no more
    /// memory than the message may be long.
    private struct Budget {
        /// The part, for a person.
        let part: String
        /// How many bytes are allowed in all.
        let limit: Int
        private var used = 0

        init(_ part: String, _ limit: Int) {
            (self.part, self.limit) = (part, limit)
        }

        mutating func spend(_ count: Int) throws(TransferFailure) {
            used += count
            guard used > limit else { return }
            throw TransferFailure(
                .valueMissing,
                "With its values, \(part) would be too long: they have more than \(limit) bytes there."
            )
        }
    }

    /// How many bytes the values may have in all header fields.
    private static let longestInFields = 1 << 16

    /// The values by name, as JSON.
    private let values: [String: String]

    init(_ values: [String: String]) {
        self.values = values
    }

    /// A URL with the values in its path and query. The braces of its text are percent-encoded.
    func filled(_ url: HTTPURL) throws(TransferFailure) -> HTTPURL {
        var budget = Budget("the URL", HTTPURL.lengthLimit)
        var segments: [String] = []
        for segment in url.path.split(separator: "/", omittingEmptySubsequences: false) {
            segments.append(try filled(segment: String(segment), &budget))
        }
        let query = try url.query.map { query throws(TransferFailure) in
            try filled(query, between: "%7B", and: "%7D", &budget, encoded: PercentEncoding.literal)
        }
        do throws(HTTPURL.ParseError) {
            return try url.with(path: segments.joined(separator: "/"), query: query)
        } catch {
            throw TransferFailure(.valueMissing, "With its values, the URL cannot be used: \(error)")
        }
    }

    /// A value must not lead to another place than the URL shows: to the folder itself, or out of it.
    private func filled(segment: String, _ budget: inout Budget) throws(TransferFailure) -> String {
        let filled = try self.filled(
            segment,
            between: "%7B",
            and: "%7D",
            &budget,
            encoded: PercentEncoding.literal
        )
        guard filled != segment else { return segment }
        switch PercentEncoding.decoded(filled.utf8).text {
        case "", ".", "..":
            throw TransferFailure(
                .valueMissing,
                "A value would leave a part of the URL's path empty, or lead out of it."
            )
        default: return filled
        }
    }

    /// Header fields with the values in theirs.
    func filled(_ fields: [HeaderField]) throws(TransferFailure) -> [HeaderField] {
        var budget = Budget("the header", Self.longestInFields)
        var filled: [HeaderField] = []
        for field in fields {
            let value = try self.filled(field.value, between: "{", and: "}", &budget) { $0 }
            guard value == field.value || !value.utf8.contains(where: { $0.isControl && $0 != 0x09 }) else {
                throw TransferFailure(
                    .valueMissing,
                    "A value for the field \(field.name) has a control character, which no field may have."
                )
            }
            filled.append(HeaderField(name: field.name, value: value))
        }
        return filled
    }

    /// A JSON text with the values in its strings.
    func filled(_ body: [UInt8]) throws(TransferFailure) -> [UInt8] {
        var budget = Budget("the body", RequestSpecification.longestBody)
        let filled = try JSONText.replacingStrings(of: body) { string throws(TransferFailure) in
            if string.hasPrefix("{"), string.hasSuffix("}"),
                let value = values[String(string.dropFirst().dropLast())]
            {
                try budget.spend(value.utf8.count)
                return value
            }
            let text = try self.filled(string, between: "{", and: "}", &budget) { $0 }
            return text == string ? nil : JSONText.quoted(text)
        }
        guard let filled else {
            throw TransferFailure(
                .valueMissing,
                "The body is not valid JSON, so no value can be put into it."
            )
        }
        return filled
    }

    private func filled(
        _ text: String,
        between open: String,
        and close: String,
        _ budget: inout Budget,
        encoded: (String) -> String
    ) throws(TransferFailure) -> String {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let start = rest.firstRange(of: Array(open.utf8)) {
            let behind = rest[start.upperBound...]
            let end = behind.prefix(ValueSource.longestName + close.utf8.count).firstRange(
                of: Array(close.utf8)
            )
            let name = end.map { String(decoding: behind[..<$0.lowerBound], as: UTF8.self) }
            if let end, let name, let value = values[name] {
                let text = Array(encoded(try Self.text(of: value, named: name)).utf8)
                try budget.spend(text.count)
                result += rest[..<start.lowerBound] + text
                rest = rest[end.upperBound...]
            } else {
                result += rest[..<start.upperBound]
                rest = behind
            }
        }
        return String(decoding: result + rest, as: UTF8.self)
    }

    /// The text of a JSON value.
    private static func text(of value: String, named name: String) throws(TransferFailure) -> String {
        let bytes = Array(value.utf8)[...]
        switch bytes.first {
        case UInt8(ascii: "\"")?:
            if let text = JSONText.string(bytes) { return text }
        case UInt8(ascii: "{")?, UInt8(ascii: "[")?, UInt8(ascii: "n")?, nil: break
        case _?: return value
        }
        throw TransferFailure(
            .valueMissing,
            "The value for '\(name)' is not a string, a number or a truth value, and is needed as text."
        )
    }
}
