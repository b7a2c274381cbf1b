/// What is known of the connection that carries a request.
package struct ConnectionFacts: Hashable, Sendable {
    /// The number of the connection, counted in the order of the first requests.
    package var number: Int
    /// The address and the port of the peer, which is the proxy if there is one; `nil` if they are unknown.
    package var peer: String?
    /// The version of TLS, such as `TLS 1.3`; `nil` in clear text.
    package var security: String?
    /// Whether it has carried another request before.
    package var isReused: Bool

    package init(number: Int, peer: String?, security: String?, isReused: Bool) {
        (self.number, self.peer, self.security, self.isReused) = (number, peer, security, isReused)
    }
}
