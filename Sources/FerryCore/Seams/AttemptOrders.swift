/// What the attempt at a transfer has to obey: whose it is, what was asked for, how fast it may be, when,
/// and at which URL.
///
/// It is the part of a row that others may change while the transfer runs, and all that its owner looks at whenever the
/// store has changed.
public struct AttemptOrders: Hashable, Sendable {
    /// Who holds the transfer; `nil` for nobody.
    public var claim: Claim?
    /// What was asked for and is not obeyed yet.
    public var wish: Wish?
    /// The most bytes a second.
    public var rateLimit: RateLimit
    /// When it may run.
    public var window: TimeWindow

    /// What is asked from the next request on.
    public var url: HTTPURL

    /// Creates orders.
    public init(claim: Claim?, wish: Wish?, rateLimit: RateLimit, window: TimeWindow, url: HTTPURL) {
        self.claim = claim
        self.wish = wish
        self.rateLimit = rateLimit
        self.window = window
        self.url = url
    }

    /// What stands in a transfer's row.
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
