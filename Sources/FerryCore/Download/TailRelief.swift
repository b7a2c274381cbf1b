/// Decides when the rests of slow connections are left to faster ones that have nothing else to do, and remembers which
/// rests were.
///
/// Pieces have a smallest size, so a small rest is never divided. It may still take minutes over a connection that brings
/// a few hundred bytes a second. Such a connection is cut, and the whole rest is asked for again.
struct TailRelief: Hashable, Sendable {
    /// Least time, in seconds, that a rest must still take.
    static let leastSeconds = 2.0
    /// How many times as long the rest must take over the slow connection as over the fast one.
    static let leastGain = 4.0
    /// How often the same bytes are left to another connection if none of these is fast.
    static let mostOfRange = 2

    /// The rests that were left to another connection. Those that a fast one got are forgotten.
    private var relieved: [Range<Int64>] = []
    /// How many rests were left to another connection.
    private var moves = 0

    /// The part of a connection's work that is still to come.
    struct Rest: Hashable, Sendable {
        /// The bytes to come.
        var range: Range<Int64>
        /// The steady speed of the connection, in bytes a second.
        var speed: Double

        /// The time until the last byte, in seconds.
        var seconds: Double { Double(range.count) / max(1, speed) }
    }

    /// A connection that may be relieved.
    struct Candidate: Hashable, Sendable {
        /// Its name.
        var id: ConnectionID
        /// The source that it asks.
        var source: SourceID
        /// What it must still bring.
        var rest: Rest
        /// The speed that another connection will have, in bytes a second.
        var fast: Double
    }

    /// The connections whose rests are left to others now, the slowest first.
    ///
    /// Each rest must come much sooner even if one fast connection brings all of them. At first it is one rest, then as many as
    /// were left before: a server that still counts the connections that were cut may refuse new ones. A rest that is slow for
    /// the second time is left to another connection alone, because the server may have only a few fast ones at a time.
    func choice(of candidates: [Candidate], answeredAfter answer: Duration) -> [Candidate] {
        let slowestFirst = candidates.sorted {
            $0.rest.seconds == $1.rest.seconds ? $0.id < $1.id : $0.rest.seconds > $1.rest.seconds
        }
        var chosen: [Candidate] = []
        var bytes: Int64 = 0
        for candidate in slowestFirst where chosen.count < max(1, moves) {
            let rest = candidate.rest
            let isSecond = leftCount(of: rest) > 0
            guard chosen.isEmpty || !isSecond,
                isWorthwhile(rest, behind: bytes, at: candidate.fast, answeredAfter: answer)
            else { continue }
            chosen.append(candidate)
            if isSecond { break }
            bytes += Int64(rest.range.count)
        }
        return chosen
    }

    /// Whether another connection gets the rest much sooner.
    ///
    /// - Parameters:
    ///   - before: the bytes of other rests that the same connection brings first.
    ///   - fast: the speed that the other connection will have, in bytes a second.
    ///   - answer: the time that a server takes to begin its answer.
    func isWorthwhile(
        _ rest: Rest,
        behind before: Int64 = 0,
        at fast: Double,
        answeredAfter answer: Duration
    ) -> Bool {
        guard !rest.range.isEmpty, leftCount(of: rest) < Self.mostOfRange else { return false }
        // The connection may have to be made first, which takes about as long as the answer.
        let sooner = Double(before + Int64(rest.range.count)) / max(1, fast) + answer * 2 / .seconds(1)
        return rest.seconds >= max(Self.leastSeconds, sooner * Self.leastGain)
    }

    /// How often bytes of a rest were left to another connection.
    private func leftCount(of rest: Rest) -> Int { relieved.count { $0.overlaps(rest.range) } }

    /// Notes that a rest is left to another connection.
    mutating func note(_ rest: Rest) {
        relieved.append(rest.range)
        moves += 1
    }

    /// Forgets the rests that a fast connection got. If the next one is slow, they may be moved again.
    mutating func forget(in range: Range<Int64>) { relieved.removeAll { $0.overlaps(range) } }
}
