/// How an exchange was lost on its connection, other than by its caller.
package enum ExchangeLoss: Error, Hashable, Sendable {
    /// The connection could not take the request. No byte was sent.
    case nothingLeft
    /// The peer closed before the first byte of an answer. With `isReused` the connection had carried a request
    /// before, so the peer may have closed it before this one arrived.
    case unanswered(isReused: Bool)
    /// The peer answered in full and closed while the request's body, still wanted, was being sent.
    case closedWhileSending
    /// The answer is invalid, or broke off.
    case fault(WireFault)
}
