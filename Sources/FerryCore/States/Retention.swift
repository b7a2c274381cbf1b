/// How many finished transfers are kept, and for how long.
///
/// Both bounds apply: transfers that are too old are forgotten, and then the oldest of the rest, until the number is
/// small enough.
///
/// Failed transfers do not count as finished here: they can be retried, and only a person forgets them. The exception is a
/// download that failed before its first byte arrived, such as with 404 Not Found: there is nothing to resume, and the same
/// request adds it again. It is forgotten after ``emptyFailureAge``, unless another transfer comes after it, it holds a strict
/// queue or belongs to a node of a tree, or a handler has not handled its end yet.
public struct Retention: Hashable, Sendable {
    /// How long an ended transfer stays in the store; `nil` for no limit.
    public var age: Duration?
    /// Maximum number of transfers kept; `nil` for no limit.
    public var count: Int?
    /// How long a download that failed without a byte stays in the store; `nil` for no limit.
    public var emptyFailureAge: Duration?

    /// Thirty days, and at most 100,000 transfers; seven days for a download that failed without a byte.
    public static let standard = Retention(age: .seconds(30 * 86_400), count: 100_000)

    /// Everything, for ever.
    public static let unbounded = Retention(age: nil, count: nil, emptyFailureAge: nil)

    /// Creates a retention.
    ///
    /// - Parameters:
    ///   - age: how long an ended transfer stays; `nil` for no limit.
    ///   - count: the maximum number of transfers kept; `nil` for no limit.
    ///   - emptyFailureAge: how long a download that failed without a byte stays; seven days unless given, `nil` for no limit.
    public init(age: Duration?, count: Int?, emptyFailureAge: Duration? = .seconds(7 * 86_400)) {
        self.age = age
        self.count = count
        self.emptyFailureAge = emptyFailureAge
    }

    /// Whether nothing is ever forgotten.
    package var isUnbounded: Bool { self == .unbounded }

    /// Transfers that ended up to this moment are too old; `nil` when none is.
    package func horizon(at now: Instant) -> Instant? {
        age.map { now.advanced(by: .zero - $0) }
    }

    /// Downloads that failed without a byte up to this moment are too old; `nil` when none is.
    package func horizonOfEmptyFailures(at now: Instant) -> Instant? {
        emptyFailureAge.map { now.advanced(by: .zero - $0) }
    }

    /// The number of finished transfers to forget, out of this number.
    package func excess(of total: Int) -> Int {
        count.map { max(0, total - max(0, $0)) } ?? 0
    }
}
