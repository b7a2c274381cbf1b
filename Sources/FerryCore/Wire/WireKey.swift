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

    /// On what terms TLS is spoken.
    package struct TLSIdentity: Hashable, Sendable {
        /// A file of certificates to trust instead of the system's.
        package var certificateAuthorityFile: String?
        /// Whether any certificate will do.
        package var trustsAnyCertificate: Bool
    }

    /// Where the connection leads, by way of which proxy.
    package let route: Route
    /// `nil` without TLS.
    package let tls: TLSIdentity?

    /// The key of a request.
    package init(_ url: HTTPURL, _ options: ConnectionOptions) {
        route =
            switch (options.proxy, url.scheme) {
            case (nil, _): .direct(url.origin)
            case (let proxy?, .http) where proxy.scheme == .http: .forwarded(proxy)
            case (let proxy?, _): .tunnelled(url.origin, proxy)
            }
        tls =
            switch url.scheme {
            case .http: nil
            case .https:
                TLSIdentity(
                    certificateAuthorityFile: options.certificateAuthorityFile,
                    trustsAnyCertificate: options.trustsAnyCertificate
                )
            }
    }
}
