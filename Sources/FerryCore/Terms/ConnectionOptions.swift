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
    /// Bytes a second below which a connection is given up when it stays so slow for `lowSpeedTime`; 0 allows any
    /// speed. `nil` gives up below 30 bytes a second for as long as `idleTimeout`, but not for less than a minute.
    ///
    /// Only the time in which the server is waited for counts: a limit on the rate, or a slow disk, is not its fault.
    public var lowSpeedLimit: Int64?
    /// How long a transfer may stay below a `lowSpeedLimit` that was given.
    public var lowSpeedTime: Duration = .seconds(30)

    /// The longest file of certificates that is read, in bytes.
    package static let longestCertificateAuthorityFile: Int64 = 16 << 20

    /// The speed below which a connection is given up.
    package struct SpeedFloor: Hashable, Sendable {
        /// The speed.
        package var bytesASecond: Int64
        /// How long a connection may stay below it.
        package var time: Duration
    }

    /// The speed below which a connection is given up; `nil` allows any.
    ///
    /// The floor without a given limit is what curl's documentation proposes: 30 bytes a second over a minute, little
    /// more than one segment of TCP. Forty connections over a modem are faster than that.
    package var speedFloor: SpeedFloor? {
        guard let limit = lowSpeedLimit else {
            // Who waits for ever for a byte does not mean a minute.
            return idleTimeout > .zero
                ? SpeedFloor(bytesASecond: 30, time: max(idleTimeout, .seconds(60))) : nil
        }
        return limit > 0 && lowSpeedTime > .zero ? SpeedFloor(bytesASecond: limit, time: lowSpeedTime) : nil
    }

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
