/// Whether a lost request is sent again at once, on a fresh connection (RFC 9112 §9.3.1, RFC 9110 §9.2.2, I8).
package struct ResendLedger: Hashable, Sendable {
    /// Maximum resends of a request of which no byte was sent, because its connection closed as it was chosen.
    package static let most = 3

    private var resends = 0

    /// A ledger for a request that was not sent yet.
    package init() {}

    /// Decides, and counts the resend if there is one.
    ///
    /// - Parameter isRepeatable: whether the request has the same effect when it arrives twice, and its body can be
    ///   sent again.
    package mutating func resends(after loss: ExchangeLoss, isRepeatable: Bool) -> Bool {
        let isSafe =
            switch loss {
            case .nothingLeft: resends < Self.most
            case .unanswered(let isReused): isReused && isRepeatable && resends == 0
            case .closedWhileSending, .fault: false
            }
        if isSafe { resends += 1 }
        return isSafe
    }
}
