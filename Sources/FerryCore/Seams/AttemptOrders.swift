/// What a running attempt must obey: the claim, the wish, the rate limit, the time window and the URL.
///
/// This is the part of a row that others may change while the transfer runs. The owner reads only this when the store
/// has changed.
package struct AttemptOrders: Hashable, Sendable {
    /// The owner's claim on the transfer; `nil` if no owner holds it.
    package var claim: Claim?
    /// A wish that has not been obeyed yet.
    package var wish: Wish?
    /// The rate limit of the transfer, in bytes a second.
    package var rateLimit: RateLimit
    /// When the transfer may run.
    package var window: TimeWindow

    /// The URL to use from the next request on.
    package var url: HTTPURL

    /// Creates orders.
    package init(claim: Claim?, wish: Wish?, rateLimit: RateLimit, window: TimeWindow, url: HTTPURL) {
        self.claim = claim
        self.wish = wish
        self.rateLimit = rateLimit
        self.window = window
        self.url = url
    }

    /// Reads the orders from a transfer's row.
    package init(_ transfer: Transfer) {
        self.init(
            claim: transfer.claim,
            wish: transfer.wish,
            rateLimit: transfer.work.terms.rateLimit,
            window: transfer.work.terms.window,
            url: transfer.work.url
        )
    }
}
