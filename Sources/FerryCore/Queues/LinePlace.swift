/// The place of a transfer in its queue: the lower the place, the earlier the start.
///
/// The place is the moment at which the transfer was added, minus an hour for each step of its priority. A higher
/// priority goes first, and equal priorities in the order in which they were added. An hour of waiting counts as one
/// step, so no transfer starves. All places grow older at the same rate, so a place never changes, and an index keeps
/// them in order.
package struct LinePlace: Hashable, Sendable, Comparable {
    /// The place as a number, in milliseconds.
    package let rawValue: Int64
    /// The number of the transfer, which orders equal places.
    package let id: TransferID

    /// The wait that counts as one step of priority, in milliseconds.
    package static let step: Int64 = 3_600_000
    /// The highest priority that counts.
    package static let highestPriority = 1_000_000_000
    /// The latest moment that counts, so that no place overflows.
    package static let latestMoment: Int64 = 1 << 60

    /// Creates a place from its stored form.
    package init(rawValue: Int64, id: TransferID) {
        self.rawValue = rawValue
        self.id = id
    }

    /// Creates the place of a transfer that has been waiting since a moment, in milliseconds.
    package init(of id: TransferID, since moment: Int64, priority: Int) {
        let priority = max(-Self.highestPriority, min(Self.highestPriority, priority))
        rawValue =
            max(-Self.latestMoment, min(Self.latestMoment, moment)) - Int64(priority) * Self.step
        self.id = id
    }

    /// The waiting time of a transfer that starts before all that wait. Of several such transfers, the latest goes
    /// first.
    package static func front(_ id: TransferID) -> Int64 { foremostMoment - id.rawValue }

    /// Whether a transfer that counts as waiting since this moment starts before all that wait.
    static func isFront(since moment: Int64) -> Bool { moment <= foremostMoment }

    private static let foremostMoment: Int64 = -1_000_000_000_000_000

    /// Whether `lhs` starts before `rhs`.
    package static func < (lhs: LinePlace, rhs: LinePlace) -> Bool {
        lhs.rawValue == rhs.rawValue ? lhs.id < rhs.id : lhs.rawValue < rhs.rawValue
    }
}
