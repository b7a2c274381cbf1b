/// How a running attempt is asked to end.
package enum StopOrder: Hashable, Sendable {
    /// Keep the received bytes, make them durable, and stop. The settlement decides whether the transfer is paused or
    /// runs again.
    case release
    /// The transfer is cancelled.
    case cancel(keepingPart: Bool)
}
