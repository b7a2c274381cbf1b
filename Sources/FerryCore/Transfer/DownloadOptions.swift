/// How a download is to be made; every field has the default of the command line.
public struct DownloadOptions: Hashable, Sendable, Codable {
    /// What to do when a file already has the final name.
    public var existingFile: ExistingFilePolicy = .fail
    /// What to do when the resource has changed.
    public var onChange: ChangePolicy = .automatic
    /// Whether to start over rather than resume where the server gives no strong validator.
    public var strictResume = false
    /// Fields added to every request to the first origin; never sent to another one (I7).
    public var headers: [HeaderField] = []
    /// Credentials for the first origin.
    public var credentials: Credentials?
    /// The digest that the file must have.
    public var checksum: Checksum?
    /// How often to try again after a failure; 0 tries once only.
    public var retries = 19
    /// How many redirects to follow.
    public var redirectLimit = 20
    /// Whether to follow a redirect from https to http.
    public var allowsDowngrade = false
    /// How the connection is made.
    public var connection = ConnectionOptions()

    /// Options with every default.
    public init() {}

    /// A header field as a user gives it.
    public struct HeaderField: Hashable, Sendable, Codable {
        /// The field's name.
        public var name: String
        /// The field's value; may be a secret, and is never shown.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// How a connection to a server is made. Equal options may share connections.
public struct ConnectionOptions: Hashable, Sendable, Codable {
    /// The proxy to go through; `nil` goes straight to the server.
    public var proxy: Proxy?
    /// A file of PEM certificates to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// Whether to skip the verification of the server's certificate.
    public var trustsAnyCertificate = false
    /// How long connecting and the TLS handshake may take.
    public var connectTimeout: Duration = .seconds(30)
    /// How long no byte may come before the attempt is given up.
    public var idleTimeout: Duration = .seconds(60)
    /// Bytes a second below which an attempt is given up when it lasts for `lowSpeedTime`; `nil` allows any.
    public var lowSpeedLimit: Int64?
    /// How long a transfer may stay below `lowSpeedLimit`.
    public var lowSpeedTime: Duration = .seconds(30)

    /// Options with every default.
    public init() {}
}
