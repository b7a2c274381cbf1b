package import HTTPTypes

/// A request of HTTP/1, as it is written (RFC 9112 §3).
package struct WireRequest: Hashable, Sendable {
    /// What the request line names.
    package enum Target: Hashable, Sendable {
        /// Path and query, for the server itself (RFC 9112 §3.2.1).
        case origin(HTTPURL)
        /// The whole URL, for a proxy that forwards (RFC 9112 §3.2.2).
        case absolute(HTTPURL)
        /// Host and port, for a proxy that opens a tunnel with `CONNECT` (RFC 9112 §3.2.3). An IPv6 address has no
        /// brackets.
        case authority(host: String, port: Int)
    }

    /// The body, as far as the head tells of it.
    package enum Body: Hashable, Sendable {
        /// None.
        case none
        /// One that follows the head, in chunks when the length is `nil`. With `expectsContinue` it waits for the
        /// server to ask for it (RFC 9110 §10.1.1).
        case streamed(length: Int64?, expectsContinue: Bool)
    }

    /// The method.
    package var method: HTTPRequest.Method
    /// The target.
    package var target: Target
    /// The fields. ``head()`` adds those that frame the message and name the host.
    package var fields: HTTPFields
    /// The body.
    package var body: Body
    /// Whether the connection is to close behind the answer.
    package var closes: Bool

    /// Whether the body waits until the server asks for it.
    package var expectsContinue: Bool {
        if case .streamed(_, expectsContinue: true) = body { true } else { false }
    }

    /// Creates a request.
    package init(
        _ method: HTTPRequest.Method,
        _ target: Target,
        fields: HTTPFields = HTTPFields(),
        body: Body = .none,
        closes: Bool = false
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.closes = closes
    }

    /// The bytes up to the body.
    ///
    /// `Host` comes first (RFC 9110 §7.2); a given one takes the place of the target's.
    ///
    /// - Throws: ``RequestFault`` when the bytes would be another message than the one that is meant.
    package func head() throws(RequestFault) -> [UInt8] {
        guard (method == .connect) == isAuthority else { throw .invalidTarget }
        var writer = HeadWriter()
        try writer.line(method: method.rawValue, target: targetText)
        let hosts = fields[values: Self.host]
        guard hosts.count <= 1 else { throw .severalHosts }
        try writer.field("Host", hosts.first ?? hostText)
        for field in fields where field.name != Self.host {
            guard !Self.ownNames.contains(field.name.canonicalName) else { throw .ownField }
            try writer.field(field.name.rawName, field.value)
        }
        for (name, value) in framing { try writer.field(name, value) }
        return writer.end()
    }

    private static let host = HTTPField.Name("Host")!
    /// The fields that follow from the request itself.
    private static let ownNames: Set<String> = [
        "content-length", "transfer-encoding", "connection", "expect",
    ]

    private var isAuthority: Bool {
        if case .authority = target { true } else { false }
    }

    private var targetText: String {
        switch target {
        case .origin(let url): url.requestTarget
        case .absolute(let url): url.withoutUserinfo.withoutFragment.absoluteString
        case .authority(let host, let port): Self.authority(host, port)
        }
    }

    private var hostText: String {
        switch target {
        case .origin(let url), .absolute(let url): url.hostAndPort
        case .authority(let host, let port): Self.authority(host, port)
        }
    }

    private static func authority(_ host: String, _ port: Int) -> String {
        host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private var framing: [(String, String)] {
        var lines: [(String, String)] = []
        switch body {
        case .none:
            // RFC 9110 §8.6: a server may wait for a body when such a method says nothing of it.
            if [.post, .put, .patch].contains(method) { lines.append(("Content-Length", "0")) }
        case .streamed(let length, let expectsContinue):
            lines.append(length.map { ("Content-Length", "\($0)") } ?? ("Transfer-Encoding", "chunked"))
            if expectsContinue, length != 0 { lines.append(("Expect", "100-continue")) }
        }
        if closes { lines.append(("Connection", "close")) }
        return lines
    }
}
