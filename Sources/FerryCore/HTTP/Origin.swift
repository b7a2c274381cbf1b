/// Scheme, host and port of a server (RFC 9110 §4.3.1).
///
/// Two URLs share their secrets only if they have the same origin (I7).
package struct Origin: Hashable, Sendable, Codable {
    /// The scheme.
    package let scheme: HTTPURL.Scheme
    /// The host, in lowercase; an IPv6 address has no brackets.
    package let host: String
    /// The port, including the scheme's default.
    package let port: Int

    /// Creates an origin. `host` must be lowercase, an IPv6 address without brackets.
    package init(scheme: HTTPURL.Scheme, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}

extension Origin: CustomStringConvertible {
    /// The origin with its port always shown, such as `https://example.com:443`.
    package var description: String {
        "\(scheme.rawValue)://\(host.utf8.contains(0x3A) ? "[\(host)]" : host):\(port)"
    }
}
