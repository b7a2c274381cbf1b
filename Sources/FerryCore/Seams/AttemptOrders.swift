/// What a running attempt must obey: the claim, the wish, the rate limit, the time window and the URL.
///
/// This is the part of a row that others may change while the transfer runs. The owner reads only this when the store
/// has changed.
public struct AttemptOrders: Hashable, Sendable {
    /// The owner's claim on the transfer; `nil` if no owner holds it.
    public var claim: Claim?
    /// A wish that is not obeyed yet.
    public var wish: Wish?
    /// The rate limit of the transfer, in bytes a second.
    public var rateLimit: RateLimit
    /// When the transfer may run.
    public var window: TimeWindow

    /// The URL to use from the next request on.
    public var url: HTTPURL

    /// Creates orders.
    public init(claim: Claim?, wish: Wish?, rateLimit: RateLimit, window: TimeWindow, url: HTTPURL) {
        self.claim = claim
        self.wish = wish
        self.rateLimit = rateLimit
        self.window = window
        self.url = url
    }

    /// Reads the orders from a transfer's row.
    public init(_ transfer: Transfer) {
        self.init(
            claim: transfer.claim,
            wish: transfer.wish,
            rateLimit: transfer.work.terms.rateLimit,
            window: transfer.work.terms.window,
            url: transfer.work.url
        )
    }
}
