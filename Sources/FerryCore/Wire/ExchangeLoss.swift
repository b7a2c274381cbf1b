/// How an exchange was lost on its connection, apart from a caller who gave it up.
package enum ExchangeLoss: Error, Hashable, Sendable {
    /// The connection took no request. No byte of it has left.
    case nothingLeft
    /// The peer closed before the first byte of an answer. With `isReused` the connection had carried a request
    /// before, so the peer may have closed it before this one arrived.
    case unanswered(isReused: Bool)
    /// The peer answered in full and closed, while the request's body was still wanted and on its way.
    case closedWhileSending
    /// The answer is not right, or broke off.
    case fault(WireFault)
}
