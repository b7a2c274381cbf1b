internal import FerryCore
internal import HTTPTypes

extension WireRequest {
    /// A request in the form that its route needs.
    ///
    /// An HTTP proxy works in two ways (RFC 9112 §3.2.2, RFC 9110 §9.3.6). For `https` it opens a tunnel to the server. For
    /// `http` it receives the request itself, with the whole URL.
    init(_ request: TransportRequest, over route: WireKey.Route, closes: Bool) {
        var fields = request.headers
        let target: Target
        if case .forwarded(let proxy) = route {
            target = .absolute(request.url)
            if let credentials = proxy.credentials {
                fields[.proxyAuthorization] = credentials.authorizationFieldValue
            }
        } else {
            target = .origin(request.url)
        }
        self.init(
            request.method,
            target,
            fields: fields,
            body: request.body.isEmpty
                ? .none : .streamed(length: Int64(request.body.count), expectsContinue: false),
            closes: closes
        )
    }
}
