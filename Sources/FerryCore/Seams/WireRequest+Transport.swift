internal import HTTPTypes

extension WireRequest {
    /// A request in the form that its route needs.
    ///
    /// An HTTP proxy works in two ways (RFC 9112 §3.2.2, RFC 9110 §9.3.6). For `https` it opens a tunnel to the server. For
    /// `http` it receives the request itself, with the whole URL.
    ///
    /// - Parameter mayExpect: whether a long body waits until the server asks for it.
    package init(_ request: TransportRequest, over route: WireKey.Route, closes: Bool, mayExpect: Bool) {
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
            body: Body(request.body, mayExpect: mayExpect),
            closes: closes
        )
    }
}

extension WireRequest.Body {
    fileprivate init(_ body: RequestBody, mayExpect: Bool) {
        let length = body.length
        let isLong = length ?? .max >= RequestBody.expectationFloor
        self = length == 0 ? .none : .streamed(length: length, expectsContinue: mayExpect && isLong)
    }
}
