/// The proxies from the environment, as curl reads it.
///
/// A lowercase variable comes before an uppercase one, and an empty one counts as not set. Uppercase `HTTP_PROXY` is
/// never read: a CGI server sets it to whatever a client sends in a `Proxy` field.
public struct ProxyEnvironment: Hashable, Sendable, Codable {
    /// The proxy for http URLs.
    public let http: Proxy?
    /// The proxy for https URLs.
    public let https: Proxy?
    /// The hosts that are reached without a proxy.
    public let exceptions: NoProxyRules

    /// Reads `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    ///
    /// - Throws: ``InvalidVariable`` when a value is not a proxy.
    public init(_ environment: [String: String]) throws(InvalidVariable) {
        let all = try Self.proxy(["all_proxy", "ALL_PROXY"], in: environment)
        http = try Self.proxy(["http_proxy"], in: environment) ?? all
        https = try Self.proxy(["https_proxy", "HTTPS_PROXY"], in: environment) ?? all
        exceptions = NoProxyRules(Self.variable(["no_proxy", "NO_PROXY"], in: environment)?.value ?? "")
    }

    private init(http: Proxy?, https: Proxy?, exceptions: NoProxyRules) {
        self.http = http
        self.https = https
        self.exceptions = exceptions
    }

    /// The same proxies without their credentials.
    var withoutCredentials: ProxyEnvironment {
        ProxyEnvironment(
            http: http?.withoutCredentials,
            https: https?.withoutCredentials,
            exceptions: exceptions
        )
    }

    /// Whether there is no proxy at all.
    public var isEmpty: Bool { http == nil && https == nil }

    /// The proxy for a URL; `nil` connects straight to the server.
    package func proxy(for url: HTTPURL) -> Proxy? {
        guard !exceptions.matches(host: url.host) else { return nil }
        return switch url.scheme {
        case .http: http
        case .https, .s3, .oss, .gs: https
        }
    }

    private static func variable(
        _ names: [String],
        in environment: [String: String]
    ) -> (name: String, value: String)? {
        for name in names {
            if let value = environment[name], !value.isEmpty { return (name, value) }
        }
        return nil
    }

    private static func proxy(
        _ names: [String],
        in environment: [String: String]
    ) throws(InvalidVariable) -> Proxy? {
        guard let (name, value) = variable(names, in: environment) else { return nil }
        do {
            return try Proxy(parsing: value)
        } catch {
            throw InvalidVariable(name: name, reason: error)
        }
    }

    /// A variable whose value is not a proxy.
    public struct InvalidVariable: Error, Hashable, Sendable, CustomStringConvertible {
        /// The variable's name.
        public let name: String
        /// What is wrong with its value.
        public let reason: Proxy.ParseError

        /// Creates an error.
        public init(name: String, reason: Proxy.ParseError) {
            self.name = name
            self.reason = reason
        }

        /// The reason in one sentence for a person, without the value.
        public var description: String { "The environment variable \(name) is not usable. \(reason)" }
    }
}
