/// A proxy to go through.
public struct Proxy: Hashable, Sendable, Codable {
    /// The protocol of the proxy.
    public let scheme: Scheme
    /// The proxy's host, in lower case; an IPv6 address has no brackets.
    public let host: String
    /// The proxy's port.
    public let port: Int
    /// The credentials for the proxy.
    public let credentials: Credentials?

    /// The supported proxy protocols.
    public enum Scheme: String, Hashable, Sendable, Codable, CaseIterable {
        /// HTTP, with `CONNECT` for https (RFC 9110 §9.3.6).
        case http
        /// SOCKS 4, which reaches IPv4 addresses only; this side resolves the host's name.
        case socks4
        /// SOCKS 4a; the proxy resolves the host's name.
        case socks4a
        /// SOCKS 5 (RFC 1928); this side resolves the host's name.
        case socks5
        /// SOCKS 5; the proxy resolves the host's name.
        case socks5h

        /// Whether the proxy resolves the host's name, rather than this side.
        package var takesNames: Bool {
            switch self {
            case .http, .socks4a, .socks5h: true
            case .socks4, .socks5: false
            }
        }
    }

    /// Creates a proxy from its parts.
    public init(scheme: Scheme, host: String, port: Int, credentials: Credentials? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    /// Host and port, as messages name the proxy: brackets around IPv6. Proxies have no usual port.
    package var hostAndPort: String { "\(host.utf8.contains(0x3A) ? "[\(host)]" : host):\(port)" }

    /// The same proxy without its credentials.
    var withoutCredentials: Proxy { Proxy(scheme: scheme, host: host, port: port) }

    /// The port of a SOCKS proxy when none is given: the one registered for SOCKS, as in curl.
    public static let defaultPort = 1080

    /// Parses `[SCHEME://][USER[:PASSWORD]@]HOST[:PORT]` as curl's `--proxy` does. Without a scheme it is `http`, and
    /// anything from the next slash on is ignored. Only a SOCKS proxy may lack a port: HTTP proxies have no usual one.
    ///
    /// - Throws: ``ParseError``, which quotes no possible secret.
    public init(parsing text: String) throws(ParseError) {
        let bytes = Array(text.utf8).trimmingBlanks
        guard !bytes.isEmpty else { throw .empty }
        guard !bytes.contains(where: \.isControl) else { throw .invalid(.controlCharacter) }
        var rest = bytes
        var scheme = Scheme.http
        let word = bytes.prefix { $0.isLetter || $0.isDigit || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
        if !word.isEmpty, bytes[word.endIndex...].starts(with: "://".utf8) {
            let name = word.lowercasedASCIIText
            guard let known = Scheme(rawValue: name) else {
                throw .unsupportedScheme(String(name.prefix(32)))
            }
            scheme = known
            rest = bytes[word.endIndex...].dropFirst(3)
        }
        let authority: Authority
        do {
            authority = try Authority(parsing: rest.prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 })
        } catch {
            throw .invalid(error)
        }
        guard let port = authority.port ?? (scheme == .http ? nil : Self.defaultPort) else {
            throw .missingPort
        }
        func decoded(_ text: String) -> String { PercentEncoding.decoded(text.utf8).text }
        self.init(
            scheme: scheme,
            host: authority.host,
            port: port,
            credentials: authority.user.map {
                .basic(user: decoded($0), password: decoded(authority.password ?? ""))
            }
        )
    }

    /// Why a text is not a proxy.
    public enum ParseError: Error, Hashable, Sendable {
        /// The text is empty.
        case empty
        /// The protocol is not supported; the payload is the scheme's name.
        case unsupportedScheme(String)
        /// An HTTP proxy without a port.
        case missingPort
        /// Host, port or user is malformed.
        case invalid(HTTPURL.ParseError)
    }
}

extension Proxy.ParseError: CustomStringConvertible {
    private static let schemes = "http://, socks4://, socks4a://, socks5:// or socks5h://"

    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .empty:
            "The proxy is empty; it must look like http://host:port."
        case .unsupportedScheme("https"):
            "A proxy that is itself reached over TLS (https://) is not supported; use \(Self.schemes)."
        case .unsupportedScheme(let name):
            "The proxy scheme '\(name)' is not supported; use \(Self.schemes)."
        case .missingPort:
            "The proxy names no port; it must look like http://host:port."
        case .invalid(.missingHost):
            "The proxy names no host; it must look like http://host:port."
        case .invalid(let error):
            "The proxy is not valid. \(error)"
        }
    }
}

extension Proxy: CustomStringConvertible, CustomDebugStringConvertible {
    /// The proxy without its credentials.
    public var description: String { "\(scheme.rawValue)://\(hostAndPort)" }

    /// The proxy without its credentials.
    public var debugDescription: String { description }
}
