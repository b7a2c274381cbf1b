/// Where a transfer stands in its queue: the lower, the earlier it starts.
///
/// It is the moment at which the transfer was added, an hour earlier for each step of its priority. So the higher
/// priority goes first, of equal ones the first that was added, and an hour of waiting counts as one step: nothing
/// starves. As all of them grow older alike, a place never changes, and an index keeps them in order.
public struct LinePlace: Hashable, Sendable, Comparable {
    /// The place as a number, in milliseconds.
    public let rawValue: Int64
    /// The number of the transfer, which decides between equal places.
    public let id: TransferID

    /// The wait that counts as one step of priority, in milliseconds.
    public static let step: Int64 = 3_600_000
    /// A priority beyond this one counts as this one.
    public static let highestPriority = 1_000_000_000
    /// A moment beyond this one counts as this one, so that no place is too large a number.
    public static let latestMoment: Int64 = 1 << 60

    /// Takes up a place that was stored.
    public init(rawValue: Int64, id: TransferID) {
        self.rawValue = rawValue
        self.id = id
    }

    /// Where a transfer stands that has been waiting since a moment, in milliseconds.
    public init(of id: TransferID, since moment: Int64, priority: Int) {
        let priority = max(-Self.highestPriority, min(Self.highestPriority, priority))
        rawValue =
            max(-Self.latestMoment, min(Self.latestMoment, moment)) - Int64(priority) * Self.step
        self.id = id
    }

    /// Since when a transfer counts as waiting that starts before all that wait; of several such, the latest goes first.
    public static func front(_ id: TransferID) -> Int64 { foremostMoment - id.rawValue }

    /// Whether a transfer that counts as waiting since then starts before all that wait.
    static func isFront(since moment: Int64) -> Bool { moment <= foremostMoment }

    private static let foremostMoment: Int64 = -1_000_000_000_000_000

    /// Whether `lhs` starts before `rhs`.
    public static func < (lhs: LinePlace, rhs: LinePlace) -> Bool {
        lhs.rawValue == rhs.rawValue ? lhs.id < rhs.id : lhs.rawValue < rhs.rawValue
    }
}
