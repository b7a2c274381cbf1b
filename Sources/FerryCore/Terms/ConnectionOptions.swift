/// How a connection to a server is made. Equal options may share connections.
public struct ConnectionOptions: Hashable, Sendable, Codable {
    /// The proxy to go through; `nil` goes straight to the server.
    public var proxy: Proxy?
    /// A file of PEM certificates to trust instead of the system's. It may be replaced as those of a ``ClientCertificate``.
    public var certificateAuthorityFile: String?
    /// The certificate to present to a server that asks for one; `nil` presents none.
    public var clientCertificate: ClientCertificate?
    /// Whether to skip the verification of the server's certificate.
    public var trustsAnyCertificate = false
    /// How long connecting and the TLS handshake may take.
    public var connectTimeout: Duration = .seconds(30)
    /// Longest time without a byte before the attempt fails.
    public var idleTimeout: Duration = .seconds(60)
    /// A connection that stays below this number of bytes per second for `lowSpeedTime` is closed; 0 allows any speed.
    /// With `nil` the limit is 30 bytes per second, for as long as `idleTimeout` but at least a minute.
    ///
    /// Only time spent waiting for the server counts. Time in which a rate limit or a slow disk holds it back does not.
    public var lowSpeedLimit: Int64?
    /// How long a transfer may stay below a given `lowSpeedLimit`.
    public var lowSpeedTime: Duration = .seconds(30)

    /// Whether to use IPv4 or IPv6 only; `nil` uses both.
    public var addressFamily: AddressFamily?
    /// The local address, or the name of the network interface, to connect from; `nil` leaves the choice to the system.
    public var localAddress: String?
    /// Addresses in place of those of certain names. The last one for a host and port counts.
    public var hostOverrides: [HostOverride] {
        get { overrides ?? [] }
        set { overrides = newValue.isEmpty ? nil : newValue }
    }
    /// The stored form of ``hostOverrides``; absent when empty.
    private var overrides: [HostOverride]?

    /// The longest file of certificates or keys that is read, in bytes.
    package static let longestPEMFile: Int64 = 16 << 20

    /// The speed below which a connection is closed.
    package struct SpeedFloor: Hashable, Sendable {
        /// The speed.
        package var bytesASecond: Int64
        /// How long a connection may stay below it.
        package var time: Duration
    }

    /// The speed below which a connection is closed; `nil` allows any.
    ///
    /// The floor without a given limit is the one in curl's documentation: 30 bytes a second over a minute, little
    /// more than one TCP segment. Forty connections over a modem are faster.
    package var speedFloor: SpeedFloor? {
        guard let limit = lowSpeedLimit else {
            // A user who allows an unlimited wait for a byte does not want a limit of a minute.
            return idleTimeout > .zero
                ? SpeedFloor(bytesASecond: 30, time: max(idleTimeout, .seconds(60))) : nil
        }
        return limit > 0 && lowSpeedTime > .zero ? SpeedFloor(bytesASecond: limit, time: lowSpeedTime) : nil
    }

    /// The addresses in place of those of a name.
    package func override(host: String, port: Int) -> HostOverride? {
        hostOverrides.last { $0.host == host && $0.port == port }
    }

    /// Options with every default.
    public init() {}

    /// Reads options. A field that is missing, because an older Ferry wrote them, has its default.
    public init(from decoder: any Decoder) throws {
        self.init()
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        proxy = try fields.value(of: .proxy)
        certificateAuthorityFile = try fields.value(of: .certificateAuthorityFile)
        clientCertificate = try fields.value(of: .clientCertificate)
        trustsAnyCertificate = try fields.value(of: .trustsAnyCertificate) ?? trustsAnyCertificate
        connectTimeout = try fields.value(of: .connectTimeout) ?? connectTimeout
        idleTimeout = try fields.value(of: .idleTimeout) ?? idleTimeout
        lowSpeedLimit = try fields.value(of: .lowSpeedLimit)
        lowSpeedTime = try fields.value(of: .lowSpeedTime) ?? lowSpeedTime
        addressFamily = try fields.value(of: .addressFamily)
        localAddress = try fields.value(of: .localAddress)
        overrides = try fields.value(of: .overrides)
    }
}

extension KeyedDecodingContainer {
    /// Returns the value of a field, or `nil` when the field is missing. Throws when the field cannot be decoded.
    func value<Value: Decodable>(of key: Key) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: key)
    }

    /// The error of a field whose value makes no sense.
    func damaged(_ key: Key, _ reason: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: reason)
    }
}
