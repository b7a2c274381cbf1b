package import HTTPTypes

/// A header field as a person writes it: `Name: value` (RFC 9110 §5).
package struct HeaderLine: Hashable, Sendable {
    /// The field's name.
    package let name: HTTPField.Name
    /// The field's value, without blanks around it; may be a secret.
    package let value: String

    /// Reads a line.
    ///
    /// - Throws: ``ParseError`` when there is no colon, the name is not a token (RFC 9110 §5.1), or the value has a
    ///   control character other than a tab (§5.5). Such a character could insert another field.
    package init(parsing line: String) throws(ParseError) {
        let bytes = Array(line.utf8)
        guard let colon = bytes.firstIndex(of: 0x3A) else { throw .missingColon }
        let nameBytes = bytes[..<colon]
        guard nameBytes.allSatisfy(\.isTokenByte), let name = HTTPField.Name(nameBytes.text) else {
            throw .invalidName
        }
        let value = bytes[(colon + 1)...].trimmingBlanks
        guard value.allSatisfy({ !$0.isControl || $0 == 0x09 }) else {
            throw .controlCharacter(name: name.rawName)
        }
        self.name = name
        self.value = value.text
    }

    /// Reads a line to be sent with every request.
    ///
    /// - Throws: ``ParseError`` as ``init(parsing:)``, for an empty value, with which curl removes a field, and for a field
    ///   that Ferry sets itself: ranges and conditions (RFC 9110 §13, §14), and message framing (RFC 9112 §6, RFC 9110
    ///   §7.6.1).
    package init(forRequests line: String) throws(ParseError) {
        try self.init(parsing: line)
        if Self.ownFields.contains(name.canonicalName) { throw .ownField(name: name.rawName) }
        if value.isEmpty { throw .noValue(name: name.rawName) }
    }

    /// Reads a line to be sent with a request that the user words in full. Ranges and conditions are the user's.
    ///
    /// - Throws: ``ParseError`` as ``init(parsing:)``, for an empty value, and for a field of the message framing.
    package init(forWholeRequests line: String) throws(ParseError) {
        try self.init(parsing: line)
        if Self.framing.contains(name.canonicalName) { throw .framing(name: name.rawName) }
        if value.isEmpty { throw .noValue(name: name.rawName) }
    }

    private static let framing: Set<String> = [
        "content-length", "transfer-encoding", "te", "trailer", "connection", "keep-alive", "upgrade",
        "expect",
    ]

    private static let ownFields: Set<String> = framing.union([
        "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
    ])

    /// Why a text is not a header line. No case contains the value.
    package enum ParseError: Error, Hashable, Sendable {
        /// There is no colon between name and value.
        case missingColon
        /// The text before the colon is not a field name.
        case invalidName
        /// The value of the named field has a line break or another control character.
        case controlCharacter(name: String)
        /// The named field has an empty value.
        case noValue(name: String)
        /// Ferry sets the named field itself.
        case ownField(name: String)
        /// Ferry sets the named field itself, because it frames the message.
        case framing(name: String)
    }
}

extension HeaderLine.ParseError: CustomStringConvertible {
    /// The reason in one sentence for a person.
    package var description: String {
        switch self {
        case .missingColon: "A header must look like 'Name: value'; there is no colon."
        case .invalidName:
            "A header must look like 'Name: value'; the text before the colon is not a name."
        case .controlCharacter(let name):
            "The value of the header '\(name)' has a line break or another control character."
        case .noValue(let name): "The header '\(name)' has no value."
        case .ownField(let name):
            "The header '\(name)' cannot be given: Ferry sets it itself to request missing bytes."
        case .framing(let name):
            "The header '\(name)' cannot be given: Ferry sets it itself when it sends the body."
        }
    }
}

extension HeaderLine: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name; the value is never shown.
    package var description: String { "\(name.rawName): …" }

    /// The name; the value is never shown.
    package var debugDescription: String { description }

    /// A mirror that shows the name only.
    package var customMirror: Mirror { Mirror(self, children: ["name": name.rawName]) }
}
