/// How a request is sent: over which connections, whether it may announce its body with `Expect`, and whether it is sent
/// again at once when it is lost (RFC 9112 §9.3.1, RFC 9110 §9.2.2, I8).
package struct SendPlan: Hashable, Sendable {
    /// Maximum resends of a request that was not sent, because its connection closed when it was chosen.
    package static let most = 3

    /// Which connections the request can use next.
    package private(set) var need: WirePool.Need
    /// Whether a long body may wait until the server asks for it.
    package private(set) var mayExpect = true
    private let isRepeatable: Bool
    private var resends = 0

    /// The plan for a request that was not sent yet.
    ///
    /// - Parameter isRepeatable: whether the request has the same effect when it arrives twice.
    package init(isRepeatable: Bool) {
        self.isRepeatable = isRepeatable
        // If the server closes a kept connection now, it is unknown whether the request arrived.
        need = isRepeatable ? .any : .fresh
    }

    /// Decides whether a lost request is sent again, on a fresh connection. Counts the resend if there is one.
    package mutating func resends(after loss: ExchangeLoss) -> Bool {
        let isSafe =
            switch loss {
            case .nothingLeft: resends < Self.most
            case .unanswered(let isReused): isReused && isRepeatable && resends == 0
            case .closedWhileSending, .fault: false
            }
        guard isSafe else { return false }
        resends += 1
        need = .fresh
        return true
    }

    /// The server has refused the request only because it announced to wait for 100 Continue. It is sent again without
    /// that (RFC 9110 §10.1.1).
    package mutating func dropExpectation() { mayExpect = false }
}
