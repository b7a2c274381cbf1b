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

    /// Reads options. What an older Ferry did not know of has its default.
    public init(from decoder: any Decoder) throws {
        self.init()
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        proxy = try fields.value(of: .proxy)
        certificateAuthorityFile = try fields.value(of: .certificateAuthorityFile)
        trustsAnyCertificate = try fields.value(of: .trustsAnyCertificate) ?? trustsAnyCertificate
        connectTimeout = try fields.value(of: .connectTimeout) ?? connectTimeout
        idleTimeout = try fields.value(of: .idleTimeout) ?? idleTimeout
        lowSpeedLimit = try fields.value(of: .lowSpeedLimit)
        lowSpeedTime = try fields.value(of: .lowSpeedTime) ?? lowSpeedTime
    }
}

extension KeyedDecodingContainer {
    /// The value of a field, `nil` when the field is not there; one that is there must be readable.
    func value<Value: Decodable>(of key: Key) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: key)
    }
}
