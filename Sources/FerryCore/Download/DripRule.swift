/// Decides which connections drip beside fast ones of the same server.
///
/// A server may give only a few fast connections at a time, and a few bytes a second to the others. Such a connection claims
/// a range that a fast one would soon have brought.
struct DripRule: Hashable, Sendable {
    /// A dripping connection has at most the speed of another one divided by this. So next to nothing is lost with it.
    static let factor = 16.0
    /// A rest that takes this long, in seconds, takes too long, however much else is left.
    static let mostSeconds = 60.0

    /// The number of connections that bring bytes.
    var count: Int
    /// The speed that they have together at least, in bytes a second.
    var speedTogether: Double
    /// The bytes that are still to come over all connections.
    var left: Int64
    /// The time that a server takes to begin its answer.
    var answer: Duration

    /// A connection whose speed is known.
    struct Known: Hashable, Sendable {
        /// Its name.
        var id: ConnectionID
        /// What it must still bring, and the speed that it has at most.
        var rest: TailRelief.Rest
    }

    /// The connections that drip, in the order given. If all became slow at once, none drips.
    func dripping(among known: [Known]) -> [ConnectionID] {
        let slow = known.filter { $0.rest.speed * Self.factor <= speedTogether }
        let ofOthers = speedTogether - slow.reduce(0) { $0 + $1.rest.speed }
        let fast = ofOthers / Double(max(1, count - slow.count))
        return slow.filter { isTooSlow($0.rest, beside: fast) }.map(\.id)
    }

    /// Whether the rest comes long after all other bytes, even if one fast connection brings them.
    private func isTooSlow(_ rest: TailRelief.Rest, beside fast: Double) -> Bool {
        guard !rest.range.isEmpty, rest.speed * Self.factor <= fast else { return false }
        let others = Double(left) / max(1, fast) + answer * 2 / .seconds(1)
        let tooLong = max(TailRelief.leastSeconds, others * TailRelief.leastGain)
        return rest.seconds >= min(Self.mostSeconds, tooLong)
    }
}
