/// What identifies the client to a server or proxy. It is a secret that no description shows (I7).
public enum Credentials: Hashable, Sendable, Codable {
    /// A user and password (RFC 7617).
    case basic(user: String, password: String)
    /// A token (RFC 6750).
    case bearer(token: String)

    /// Parses `USER:PASSWORD` as curl's `--user` does: the first colon separates them. Without a colon the password
    /// is empty.
    public init(userAndPassword text: String) {
        let bytes = text.utf8
        let colon = bytes.firstIndex(of: 0x3A) ?? bytes.endIndex
        self = .basic(user: String(text[..<colon]), password: String(Substring(bytes[colon...].dropFirst())))
    }

    /// The value of `Authorization` or `Proxy-Authorization`.
    ///
    /// User and password are sent as UTF-8 (RFC 7617 §2.1). Control characters in a token are left out, because they
    /// could begin another field.
    public var authorizationFieldValue: String {
        switch self {
        case .basic(let user, let password): "Basic " + Base64.encoded(Array("\(user):\(password)".utf8))
        case .bearer(let token): "Bearer " + token.utf8.filter { !$0.isControl }.text
        }
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of credentials, without their values.
    public var description: String {
        switch self {
        case .basic: "basic credentials"
        case .bearer: "bearer token"
        }
    }

    /// The kind of credentials, without their values.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
