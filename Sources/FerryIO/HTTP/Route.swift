internal import AsyncHTTPClient
internal import FerryCore
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// How a request reaches its server: straight, through a tunnel, or by a proxy that forwards it.
///
/// A proxy for HTTP is asked in two ways (RFC 9112 §3.2.2, RFC 9110 §9.3.6): for `https` it opens a tunnel,
/// for `http` it is sent the request itself with the whole URL. AsyncHTTPClient knows the tunnel only, and many
/// proxies open none to port 80; so for a forwarded request the proxy is made the server to connect to, and
/// the request line and `Host` name the origin.
struct Route: Sendable {
    /// Which client makes the connection.
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
                hint: "Use an HTTP proxy, or a SOCKS proxy that needs no password."
            )
        }
        client = HTTPClientPool.Key(
            proxy: isForwarded ? nil : options.proxy,
            certificateAuthorityFile: options.certificateAuthorityFile,
            trustsAnyCertificate: options.trustsAnyCertificate,
            connectTimeout: options.connectTimeout
        )
    }

    /// The request as the client takes it.
    ///
    /// Its URL names only whom to connect to. The target of the request line travels beside it, to
    /// ``ConnectionGuard``, so that no second URL parser can change a byte of it.
    ///
    /// - Throws: ``Problem`` when the client rejects it.
    func message(for request: TransportRequest) throws(Problem) -> HTTPClient.Request {
        let url = request.url
        var headers = HTTPHeaders()
        // HTTPTypes keeps the host outside the fields, but a user may still have named it.
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
