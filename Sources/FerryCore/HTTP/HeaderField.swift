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

    /// Whether the field has the credentials.
    var isAuthorization: Bool { name.lowercased() == "authorization" }

    /// Whether the field describes the request's body (RFC 9110 §8, RFC 9530).
    package var describesBody: Bool {
        Self.namesAboutBodies.contains(name.lowercased())
    }

    private static let namesAboutBodies: Set = [
        "content-type", "content-encoding", "content-language", "content-digest", "repr-digest",
        "content-md5",
    ]
}
