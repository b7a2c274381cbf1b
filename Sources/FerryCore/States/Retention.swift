/// How many of the transfers that are over are kept, and for how long.
///
/// Both bounds hold: what is too old goes, and of the rest the oldest, until there are few enough. Failed transfers are
/// not over in this sense: they can be tried again, and nobody but a person forgets them.
public struct Retention: Hashable, Sendable {
    /// How long after its end a transfer is kept; `nil` for as long as there is room.
    public var age: Duration?
    /// How many are kept; `nil` for as many as there are.
    public var count: Int?

    /// Thirty days, and no more than 100,000.
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

    /// The moment up to which what has ended is too old; `nil` when nothing is.
    public func horizon(at now: Instant) -> Instant? {
        age.map { now.advanced(by: .zero - $0) }
    }

    /// How many of so many that are over are too many.
    public func excess(of total: Int) -> Int {
        count.map { max(0, total - max(0, $0)) } ?? 0
    }
}
