/// Decides when the rest of a slow connection is left to a faster one that has nothing else to do, and remembers which
/// rests were.
///
/// Pieces have a smallest size, so a small rest is never divided. It may still take minutes over a connection that brings
/// a few hundred bytes a second. Such a connection is cut, and the whole rest is asked for again.
struct TailRelief: Hashable, Sendable {
    /// Least time, in seconds, that a rest must still take.
    static let leastSeconds = 2.0
    /// How many times as long the rest must take over the slow connection as over the fast one.
    static let leastGain = 4.0
    /// How often the same bytes are left to another connection: the next one may be slow, too.
    static let mostOfRange = 2

    /// The rests that were left to another connection.
    private var relieved: [Range<Int64>] = []

    /// The part of a connection's work that is still to come.
    struct Rest: Hashable, Sendable {
        /// The bytes to come.
        var range: Range<Int64>
        /// The steady speed of the connection, in bytes a second.
        var speed: Double

        /// The time until the last byte, in seconds.
        var seconds: Double { Double(range.count) / max(1, speed) }
    }

    /// Whether another connection gets the rest much sooner.
    ///
    /// - Parameters:
    ///   - fast: the speed that the other connection will have, in bytes a second.
    ///   - answer: the time that a server takes to begin its answer.
    func isWorthwhile(_ rest: Rest, at fast: Double, answeredAfter answer: Duration) -> Bool {
        guard !rest.range.isEmpty,
            relieved.count(where: { $0.overlaps(rest.range) }) < Self.mostOfRange
        else { return false }
        // The connection may have to be made first, which takes about as long as the answer.
        let sooner = Double(rest.range.count) / max(1, fast) + answer * 2 / .seconds(1)
        return rest.seconds >= max(Self.leastSeconds, sooner * Self.leastGain)
    }

    /// Notes that a rest is left to another connection.
    mutating func note(_ rest: Rest) { relieved.append(rest.range) }
}
