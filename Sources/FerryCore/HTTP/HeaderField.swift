package import HTTPTypes

/// A header field of a request or a response.
public struct HeaderField: Hashable, Sendable, Codable {
    /// The field's name.
    public var name: String
    /// The field's value. It may be a secret and is never shown.
    public var value: String

    /// Creates a field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension HeaderField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name; the value is never shown.
    public var description: String { "\(name): …" }

    /// The name; the value is never shown.
    public var debugDescription: String { description }

    /// A mirror that shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension HeaderField {
    /// The lowercase names of the fields that may go to any server.
    private static let harmlessNames: Set<String> = [
        "accept", "accept-language", "cache-control", "user-agent",
    ]

    /// Whether the field may go to any server, because it says nothing about the user. Any other field may hold a
    /// secret.
    package var isHarmless: Bool { Self.harmlessNames.contains(name.lowercased()) }

    /// Whether the field has a name; names are compared without regard to case (RFC 9110 §5.1).
    package func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

    /// Whether the field has cookies.
    package var isCookie: Bool { isNamed("cookie") }

    /// Whether the field has the credentials.
    var isAuthorization: Bool { isNamed("authorization") }

    /// Whether the field describes the request's body (RFC 9110 §8, RFC 9530).
    package var describesBody: Bool {
        Self.namesAboutBodies.contains(name.lowercased())
    }

    /// Whether the field is stored with what a request makes, so that an answer to `HEAD` can tell it.
    package var describesObject: Bool {
        let name = name.lowercased()
        return Self.namesAboutObjects.contains(name)
            || ["x-amz-", "x-oss-", "x-goog-"].contains { name.hasPrefix($0) }
    }

    private static let namesAboutObjects: Set = [
        "content-type", "content-encoding", "content-language", "content-disposition", "cache-control",
        "expires",
    ]

    /// Whether an answer tells that the field has this value, and no other. A server that does not tell it may have another.
    package func isTold(in fields: HTTPFields) -> Bool {
        HTTPField.Name(name).map { fields[values: $0] == [value] } ?? false
    }

    /// Whether the field makes a request depend on what is there (RFC 9110 §13.1).
    package var isCondition: Bool { Self.conditions.contains(name.lowercased()) }

    private static let conditions: Set = [
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]

    private static let namesAboutBodies: Set = [
        "content-type", "content-encoding", "content-language", "content-digest", "repr-digest",
        "content-md5",
    ]
}
