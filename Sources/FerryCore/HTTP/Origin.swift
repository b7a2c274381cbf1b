/// Who is asked: scheme, host and port (RFC 9110 §4.3.1).
///
/// Two URLs share their secrets only when they share their origin (I7).
public struct Origin: Hashable, Sendable, Codable {
    /// The scheme.
    public let scheme: HTTPURL.Scheme
    /// The host, in lower case; an IPv6 address stands without brackets.
    public let host: String
    /// The port, the scheme's default included.
    public let port: Int

    /// Creates an origin; `host` is in lower case and an IPv6 address has no brackets.
    public init(scheme: HTTPURL.Scheme, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}

extension Origin: CustomStringConvertible {
    /// The origin with its port always shown, such as `https://example.com:443`.
    public var description: String {
        "\(scheme.rawValue)://\(host.utf8.contains(0x3A) ? "[\(host)]" : host):\(port)"
    }
}
