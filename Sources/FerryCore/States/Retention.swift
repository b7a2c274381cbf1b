/// How many finished transfers are kept, and for how long.
///
/// Both bounds apply: transfers that are too old are forgotten, and then the oldest of the rest, until the number is
/// small enough. Failed transfers do not count as finished here: they can be retried, and only a person forgets them.
public struct Retention: Hashable, Sendable {
    /// How long an ended transfer stays in the store; `nil` for no limit.
    public var age: Duration?
    /// Maximum number of transfers kept; `nil` for no limit.
    public var count: Int?

    /// Thirty days, and at most 100,000 transfers.
    public static let standard = Retention(age: .seconds(30 * 86_400), count: 100_000)

    /// Everything, for ever.
    public static let unbounded = Retention(age: nil, count: nil)

    /// Creates a retention.
    public init(age: Duration?, count: Int?) {
        self.age = age
        self.count = count
    }

    /// Whether nothing is ever forgotten.
    public var isUnbounded: Bool { self == .unbounded }

    /// Transfers that ended up to this moment are too old; `nil` when none is.
    public func horizon(at now: Instant) -> Instant? {
        age.map { now.advanced(by: .zero - $0) }
    }

    /// The number of finished transfers to forget, out of this number.
    public func excess(of total: Int) -> Int {
        count.map { max(0, total - max(0, $0)) } ?? 0
    }
}
