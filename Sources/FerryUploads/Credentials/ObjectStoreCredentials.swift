/// What signs requests to a store. Its secrets are shown in no description (I7).
public struct ObjectStoreCredentials: Hashable, Sendable {
    /// The ID of the access key, or the address of the service account. Every signature names it.
    public let accessKey: String
    /// The token of temporary credentials.
    public let sessionToken: String?
    package let secret: Secret

    /// What a signature is made with.
    package enum Secret: Hashable, Sendable {
        /// The secret of an access key.
        case shared(String)
        /// An RSA key in the form of PEM.
        case rsa(String)
    }

    /// Creates an access key.
    ///
    /// - Parameter sessionToken: the token, if the key is a temporary one.
    public init(accessKey: String, secret: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secret = .shared(secret)
        self.sessionToken = sessionToken
    }

    /// Creates the credentials of a service account of Google.
    ///
    /// - Parameters:
    ///   - address: its e-mail address.
    ///   - privateKey: its RSA key of at least 2048 bits, in the form of PEM.
    public init(serviceAccount address: String, privateKey: String) {
        accessKey = address
        secret = .rsa(privateKey)
        sessionToken = nil
    }
}

extension ObjectStoreCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of credentials, without their values.
    public var description: String {
        switch secret {
        case .rsa: "service account"
        case .shared: sessionToken == nil ? "access key" : "temporary access key"
        }
    }

    /// The kind of credentials, without their values.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
