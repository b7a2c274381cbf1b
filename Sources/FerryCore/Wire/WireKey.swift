/// What two requests must have in common to use the same connection.
package struct WireKey: Hashable, Sendable {
    /// Where a connection leads.
    package enum Route: Hashable, Sendable {
        /// To the server itself.
        case direct(Origin)
        /// To a proxy that reads the requests and forwards them. It does so for any origin.
        case forwarded(Proxy)
        /// Through a proxy to the server.
        case tunnelled(Origin, Proxy)
    }

    /// The settings of TLS.
    package struct TLSIdentity: Hashable, Sendable {
        /// A file of certificates to trust instead of the system's.
        package var certificateAuthorityFile: String?
        /// The certificate to present; `nil` for none.
        package var clientCertificate: ClientCertificate?
        /// Whether any certificate is accepted.
        package var trustsAnyCertificate: Bool
    }

    /// The family, local address and overrides to connect with.
    package struct Path: Hashable, Sendable {
        /// The only version of the protocol; `nil` for both.
        package var family: AddressFamily?
        /// The local address or interface; `nil` for the system's choice.
        package var localAddress: String?
        /// Addresses to use instead of a lookup, for the peer, and for the server if Ferry looks it up for a SOCKS proxy.
        package var overrides: [HostOverride]

        fileprivate init(_ url: HTTPURL, _ options: ConnectionOptions) {
            family = options.addressFamily
            localAddress = options.localAddress
            overrides = []
            let proxy = options.proxy
            if let proxy, let own = options.override(host: proxy.host, port: proxy.port) {
                overrides.append(own)
            }
            if proxy?.scheme.takesNames != true,
                let own = options.override(host: url.host, port: url.effectivePort)
            {
                overrides.append(own)
            }
        }
    }

    /// Where the connection leads, and through which proxy.
    package let route: Route
    /// `nil` without TLS.
    package let tls: TLSIdentity?
    /// Which way the network carries it.
    package let path: Path

    /// The key of a request.
    package init(_ url: HTTPURL, _ options: ConnectionOptions) {
        path = Path(url, options)
        route =
            switch (options.proxy, url.scheme) {
            case (nil, _): .direct(url.origin)
            case (let proxy?, .http) where proxy.scheme == .http: .forwarded(proxy)
            case (let proxy?, _): .tunnelled(url.origin, proxy)
            }
        tls =
            switch url.scheme {
            case .http: nil
            case .https, .s3, .oss, .gs:
                TLSIdentity(
                    certificateAuthorityFile: options.certificateAuthorityFile,
                    clientCertificate: options.clientCertificate,
                    trustsAnyCertificate: options.trustsAnyCertificate
                )
            }
    }

    /// The proxy, if there is one.
    package var proxy: Proxy? {
        switch route {
        case .direct: nil
        case .forwarded(let proxy), .tunnelled(_, let proxy): proxy
        }
    }

    /// The server; `nil` for a proxy that forwards requests to any server.
    package var server: Origin? {
        switch route {
        case .direct(let origin), .tunnelled(let origin, _): origin
        case .forwarded: nil
        }
    }

    /// The host and the port to connect to.
    package var peer: (host: String, port: Int) {
        switch route {
        case .direct(let origin): (origin.host, origin.port)
        case .forwarded(let proxy), .tunnelled(_, let proxy): (proxy.host, proxy.port)
        }
    }
}
