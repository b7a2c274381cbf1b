/// An absolute `http` or `https` URL (RFC 3986, RFC 9110 §4.2), or the name of an object in a store (``ObjectName``).
///
/// The name of an object stands for the URL that it has when a request for it is signed. Its host is the bucket.
///
/// It is normalised when it is read: scheme and host are lowercase, a default port is dropped, dot segments are
/// resolved, and octets that a URL may not contain are percent-encoded. All of it is ASCII. Its `description` is the
/// redacted form, so that a secret never reaches a log by interpolation (I7); ``absoluteString`` is complete.
public struct HTTPURL: Hashable, Sendable {
    /// The scheme.
    public let scheme: Scheme
    /// The host in lowercase; an IPv6 address is in its canonical form and without brackets.
    public let host: String
    /// The port; `nil` when it is the scheme's default.
    public let port: Int?
    /// The path, percent-encoded; at least `/`.
    public let path: String
    /// The query without its `?`, percent-encoded; `nil` when there is none.
    public let query: String?
    /// The fragment without its `#`, percent-encoded; never sent to a server.
    public let fragment: String?
    /// The user, percent-encoded.
    let encodedUser: String?
    /// The password, percent-encoded.
    let encodedPassword: String?

    /// The supported schemes.
    public enum Scheme: String, Hashable, Sendable, Codable, CaseIterable {
        /// HTTP in clear text.
        case http
        /// HTTP over TLS.
        case https
        /// An object in Amazon S3, or in a store that speaks its protocol.
        case s3
        /// An object in Alibaba Cloud OSS.
        case oss
        /// An object in Google Cloud Storage.
        case gs

        /// The port of a URL that gives none.
        public var defaultPort: Int {
            switch self {
            case .http: 80
            case .https, .s3, .oss, .gs: 443
            }
        }

        /// The store of an object; `nil` for HTTP.
        public var store: ObjectStore? { ObjectStore(rawValue: rawValue) }
    }

    /// Creates a URL from normalised parts.
    init(scheme: Scheme, authority: Authority, path: String, query: String?, fragment: String?) {
        self.scheme = scheme
        self.host = authority.host
        self.port = authority.port == scheme.defaultPort ? nil : authority.port
        self.path = path
        self.query = query
        self.fragment = fragment
        self.encodedUser = authority.user
        self.encodedPassword = authority.password
    }

    /// Stands for a URL that is stored elsewhere. No server has this name (RFC 6761 §6.4).
    package static let storedApart = HTTPURL(
        scheme: .http,
        authority: Authority(host: "url.invalid"),
        path: "/",
        query: nil,
        fragment: nil
    )

    /// The user from the URL, percent-decoded.
    public var user: String? { encodedUser.map { PercentEncoding.decoded($0.utf8).text } }

    /// The password from the URL, percent-decoded; a secret.
    public var password: String? { encodedPassword.map { PercentEncoding.decoded($0.utf8).text } }

    /// The port to connect to.
    package var effectivePort: Int { port ?? scheme.defaultPort }

    /// The origin.
    package var origin: Origin { Origin(scheme: scheme, host: host, port: effectivePort) }

    /// Host and port as the `Host` field carries them (RFC 9110 §7.2), and as messages name a server: brackets around IPv6,
    /// no default port.
    package var hostAndPort: String {
        let name = host.utf8.contains(0x3A) ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }

    /// The target of a request line: path and query (RFC 9112 §3.2.1).
    package var requestTarget: String { query.map { "\(path)?\($0)" } ?? path }

    /// The complete URL, secrets included; for the store, never for a message.
    public var absoluteString: String {
        if let objectName { return objectName.description }
        var text = scheme.rawValue + "://"
        // The text of each added transfer is made twice: it has room for all of it, or nearly all, at once.
        text.reserveCapacity(16 + host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0))
        if let encodedUser {
            text += encodedUser
            if let encodedPassword { text += ":\(encodedPassword)" }
            text += "@"
        }
        text += hostAndPort
        text += requestTarget
        if let fragment { text += "#\(fragment)" }
        return text
    }

    /// The same URL without user and password.
    package var withoutUserinfo: HTTPURL {
        HTTPURL(
            scheme: scheme,
            authority: Authority(host: host, port: port),
            path: path,
            query: query,
            fragment: fragment
        )
    }

    /// The same URL without its password.
    var withoutPassword: HTTPURL {
        HTTPURL(
            scheme: scheme,
            authority: Authority(user: encodedUser, host: host, port: port),
            path: path,
            query: query,
            fragment: fragment
        )
    }

    /// The same URL without its fragment.
    package var withoutFragment: HTTPURL { with(fragment: nil) }

    /// The same URL with another fragment.
    func with(fragment: String?) -> HTTPURL {
        HTTPURL(scheme: scheme, authority: authority, path: path, query: query, fragment: fragment)
    }

    /// The same URL with another path and query, both percent-encoded.
    ///
    /// - Throws: ``ParseError`` when it is too long.
    func with(path: String, query: String?) throws(ParseError) -> HTTPURL {
        try HTTPURL(scheme: scheme, authority: authority, path: path, query: query, fragment: fragment)
            .withinLimit()
    }

    /// The same URL with more parameters behind its query, both percent-encoded.
    ///
    /// - Throws: ``ParseError`` when it is too long.
    package func appending(query parameters: String) throws(ParseError) -> HTTPURL {
        let former = query.map { $0.isEmpty ? "" : "\($0)&" } ?? ""
        return try with(path: path, query: former + parameters)
    }

    /// User, password, host and port together.
    var authority: Authority {
        Authority(user: encodedUser, password: encodedPassword, host: host, port: port)
    }

    /// The last segment of the path, percent-decoded and without parameters such as `;jsessionid=…` (RFC 3986 §3.3),
    /// which may be secrets (I7); `nil` when nothing is left.
    ///
    /// A segment whose octets are not UTF-8 stays encoded. The text is as hostile as the URL: it may contain an
    /// escaped `/`, so only ``FileName`` may make a name of it.
    package var lastPathSegment: String? {
        if let key = objectName?.key { return key.split(separator: "/").last.map(String.init) }
        let bytes = path.utf8
        guard let slash = bytes.lastIndex(of: 0x2F) else { return nil }
        var segment = bytes[bytes.index(after: slash)...]
        if let parameters = segment.firstIndex(of: 0x3B), segment[parameters...].contains(0x3D) {
            segment = segment[..<parameters]
        }
        guard !segment.isEmpty else { return nil }
        return String(validating: PercentEncoding.decoded(segment), as: UTF8.self) ?? Array(segment).text
    }
}

extension Authority {
    /// Creates an authority from normalised parts.
    init(user: String? = nil, password: String? = nil, host: String, port: Int?) {
        self.user = user
        self.password = password
        self.host = host
        self.port = port
    }
}

extension HTTPURL: Codable {
    /// Reads the absolute string. Throws `DecodingError.dataCorrupted` when it is not an HTTP URL.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(parsing: container.decode(String.self))
        } catch let error as ParseError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Writes the absolute string, secrets included.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(absoluteString)
    }
}
