/// How many connections a download is to have: one at first, and twice as many each time that this has made it
/// faster.
///
/// It sees totals only, at moments that it is told of, and decides nothing else; what each connection fetches is the
/// machine's business.
public struct ConnectionPlan: Hashable, Sendable {
    private enum Phase: Hashable, Sendable {
        /// The wanted number of bodies is not under way yet.
        case gathering
        /// All that are wanted bring bytes; measured since then.
        case measuring(since: Instant, received: Int64)
        /// Nothing is tried before that moment.
        case settled(until: Instant)
    }

    private struct Measure: Hashable, Sendable {
        var connections: Int
        var bytesPerSecond: Double
    }

    /// How many connections there may be at most.
    public private(set) var most: Int
    /// How many there are to be now.
    public private(set) var wanted = 1
    private var phase = Phase.gathering
    /// What was measured with fewer connections.
    private var before: Measure?
    /// The longest that a server has taken to begin its answer.
    private(set) var slowestAnswer: Duration = .zero

    /// How much of what more connections could have brought must have come for them to have paid.
    static let worthwhileShare = 0.3
    /// What is left of the speed when more connections have made it worse.
    static let harmfulShare = 0.7
    /// How long it is until more connections are tried once more, when they did not pay.
    static let patience: Duration = .seconds(10)
    /// How long it is when they did harm, or the server refused them.
    static let longPatience: Duration = .seconds(60)
    /// The shortest time over which a speed is measured.
    static let shortestMeasure: Duration = .milliseconds(100)

    /// A plan for at most so many connections.
    public init(most: Int) {
        self.most = max(1, most)
    }

    /// How long it is to be until the next sample.
    public var pace: Duration {
        if case .settled = phase { return .seconds(1) }
        return min(max(Self.shortestMeasure, slowestAnswer * 2), .seconds(2))
    }

    /// A server has begun its answer after so long.
    public mutating func answered(after duration: Duration) {
        slowestAnswer = max(slowestAnswer, duration)
    }

    /// Takes a sample: how much there is in all, and how many bodies are under way.
    public mutating func sample(received: Int64, receiving: Int, at now: Instant) {
        switch phase {
        case .gathering:
            guard receiving >= wanted else { return }
            phase = .measuring(since: now, received: received)
        case .measuring(let since, let start):
            let elapsed = since.duration(to: now)
            // The clock was set back, bytes were dropped or a connection has ended: another measure.
            guard elapsed >= .zero, received >= start, receiving >= wanted else {
                phase = .gathering
                return
            }
            guard elapsed >= Self.shortestMeasure else { return }
            let seconds = Double(elapsed.wholeMilliseconds) / 1000
            judge(Measure(connections: wanted, bytesPerSecond: Double(received - start) / seconds), at: now)
        case .settled(let until):
            // A clock that was set back must not make it wait for ever.
            guard now >= until || now.duration(to: until) > Self.longPatience else { return }
            before = nil
            phase = .gathering
        }
    }

    private mutating func judge(_ measure: Measure, at now: Instant) {
        if let before {
            let gain = Double(measure.connections) / Double(before.connections) - 1
            if measure.bytesPerSecond < before.bytesPerSecond * Self.harmfulShare {
                wanted = before.connections
                return settle(for: Self.longPatience, at: now)
            }
            guard measure.bytesPerSecond >= before.bytesPerSecond * (1 + gain * Self.worthwhileShare) else {
                return settle(for: Self.patience, at: now)
            }
        }
        guard wanted < most else { return settle(for: Self.patience, at: now) }
        before = measure
        wanted = min(most, wanted * 2)
        phase = .gathering
    }

    private mutating func settle(for duration: Duration, at now: Instant) {
        before = nil
        phase = .settled(until: now.advanced(by: duration))
    }

    /// The server has refused a connection beside so many others.
    public mutating func refused(beside others: Int) {
        most = max(1, min(most, others))
        wanted = min(wanted, most)
        before = nil
        phase = .gathering
    }

    /// No connection is to be had for now, or none has anything to fetch.
    public mutating func hold(at connections: Int, until moment: Instant) {
        wanted = max(1, min(wanted, connections))
        before = nil
        phase = .settled(until: moment)
    }
}
