internal import AsyncHTTPClient
internal import FerryCore
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// How a request reaches its server: directly, through a tunnel, or through a forwarding proxy.
///
/// An HTTP proxy works in two ways (RFC 9112 §3.2.2, RFC 9110 §9.3.6). For `https` it opens a tunnel; for
/// `http` it gets the request itself with the whole URL. AsyncHTTPClient supports only the tunnel, and many
/// proxies open none to port 80. So for a forwarded request, Ferry connects to the proxy as the server, and
/// the request line and `Host` name the origin.
struct Route: Sendable {
    /// The client that makes the connection.
    var client: HTTPClientPool.Key
    /// The proxy in between, if there is one.
    var proxy: Proxy?
    /// Whether the proxy reads the request itself.
    var isForwarded: Bool

    /// - Throws: ``Problem`` when the proxy cannot be used as asked.
    init(_ request: TransportRequest) throws(Problem) {
        let options = request.connection
        proxy = options.proxy
        isForwarded = options.proxy?.scheme == .http && request.url.scheme == .http
        if let proxy, proxy.scheme != .http, proxy.credentials != nil {
            throw .permanent(
                .proxyFailed,
                "The SOCKS proxy \(proxy.host) requires a password, which Ferry does not support.",
                remedies: [.chooseOtherProxy]
            )
        }
        if let proxy, [.socks4, .socks4a].contains(proxy.scheme) {
            throw .permanent(
                .proxyFailed,
                "The proxy \(proxy.host) speaks SOCKS 4, which Ferry does not support.",
                remedies: [.chooseOtherProxy]
            )
        }
        client = HTTPClientPool.Key(
            proxy: isForwarded ? nil : options.proxy,
            certificateAuthorityFile: options.certificateAuthorityFile,
            trustsAnyCertificate: options.trustsAnyCertificate,
            connectTimeout: options.connectTimeout
        )
    }

    /// The request in the client's form.
    ///
    /// Its URL names only the peer. The target of the request line travels beside it to ``ConnectionGuard``,
    /// so that no second URL parser can change a byte of it.
    ///
    /// - Throws: ``Problem`` when the client rejects it.
    func message(for request: TransportRequest) throws(Problem) -> HTTPClient.Request {
        let url = request.url
        var headers = HTTPHeaders()
        // HTTPTypes keeps the host outside the fields, but a user may still have set the field.
        let namesHost = request.headers.contains { $0.name.canonicalName == "host" }
        if !namesHost { headers.add(name: "Host", value: url.hostAndPort) }
        for field in request.headers { headers.add(name: field.name.rawName, value: field.value) }

        var peer = (host: url.host, port: url.effectivePort)
        var target = url.requestTarget
        if isForwarded, let proxy {
            peer = (proxy.host, proxy.port)
            target = url.withoutUserinfo.withoutFragment.absoluteString
            if let credentials = proxy.credentials {
                headers.replaceOrAdd(
                    name: "Proxy-Authorization",
                    value: credentials.authorizationFieldValue
                )
            }
        }
        headers.replaceOrAdd(name: ConnectionGuard.targetField, value: target)
        let host = peer.host.utf8.contains(UInt8(ascii: ":")) ? "[\(peer.host)]" : peer.host
        do {
            return try HTTPClient.Request(
                url: "\(url.scheme.rawValue)://\(host):\(peer.port)/",
                method: HTTPMethod(rawValue: request.method.rawValue),
                headers: headers,
                body: request.body.isEmpty ? nil : .byteBuffer(ByteBuffer(bytes: request.body))
            )
        } catch {
            throw .permanent(.refused, "The host name \(peer.host) cannot be used.")
        }
    }
}
