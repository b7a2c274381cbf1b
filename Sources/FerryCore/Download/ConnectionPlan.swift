/// How many connections a download is to have: one at first, and more each time that this has made it faster: twice as
/// many, and eight times as many where the speed has grown as their number has.
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

    /// How many connections there may be at most, whoever serves them.
    public let most: Int
    /// How many the sources serve together, as far as is known.
    private var served = Int.max
    /// How many there are to be now.
    public private(set) var wanted = 1
    private var phase = Phase.gathering
    /// What was measured with fewer connections.
    private var before: Measure?
    /// How many there are to be at most for now, as more did not pay.
    private var ceiling: Int?
    /// The longest that a server has taken of late to begin its answer.
    private(set) var slowestAnswer: Duration = .zero

    /// How many samples have found fewer bodies under way than are wanted.
    private var waits = 0

    /// How much of what twice as many connections could have brought must have come for them to have paid.
    static let worthwhileShare = 0.3
    /// How much it is for more than twice as many.
    static let worthwhileShareOfMany = 0.5
    /// How much of it says that nothing but the number of connections sets the speed.
    static let linearShare = 0.75
    /// What is left of the speed when more connections have made it worse.
    static let harmfulShare = 0.7
    /// How long it is until more connections are tried once more, when they did not pay.
    static let patience: Duration = .seconds(10)
    /// How long it is when they did harm, or the server refused them.
    static let longPatience: Duration = .seconds(60)
    /// The shortest time over which a speed is measured.
    static let shortestMeasure: Duration = .milliseconds(40)
    /// How many times as long it is measured before more connections are said not to have paid: what servers send in
    /// pieces comes unevenly.
    static let doubts = 4
    /// The shortest time for that.
    static let shortestDoubt: Duration = .milliseconds(400)
    /// How long a server may pause between two pieces for the pause to belong to its speed.
    static let longestPause: Duration = .seconds(3)
    /// How long it is at first until it is looked whether all bodies are under way.
    static let shortestWait: Duration = .milliseconds(4)

    /// A plan for at most so many connections.
    public init(most: Int) {
        self.most = max(1, most)
    }

    /// How long it is to be until the next sample.
    public var sampleInterval: Duration {
        switch phase {
        case .settled: .seconds(1)
        case .gathering: min(Self.shortestWait * (1 << min(waits, 8)), .seconds(1))
        case .measuring: measure
        }
    }

    /// How long a speed is measured, at least.
    private var measure: Duration { min(max(Self.shortestMeasure, slowestAnswer * 2), .seconds(2)) }

    /// A server has begun its answer after so long.
    public mutating func answered(after duration: Duration) {
        // One slow answer is forgotten when several quick ones have come.
        slowestAnswer = max(duration, slowestAnswer * 3 / 4)
    }

    /// Takes a sample: how much there is in all, and how many bodies are under way.
    public mutating func sample(received: Int64, receiving: Int, at now: Instant) {
        switch phase {
        case .gathering:
            guard receiving >= wanted else {
                waits += 1
                return
            }
            waits = 0
            phase = .measuring(since: now, received: received)
        case .measuring(let since, let start):
            let elapsed = since.duration(to: now)
            // The clock was set back, bytes were dropped or a connection has ended: another measure.
            guard elapsed >= .zero, received >= start, receiving >= wanted else {
                phase = .gathering
                return
            }
            guard elapsed >= Self.shortestMeasure else { return }
            // Where nothing comes at all, it is not for their number; what comes in pieces is measured from one piece
            // to the next.
            guard received > start else {
                if elapsed > Self.longestPause { phase = .gathering }
                return
            }
            let seconds = Double(elapsed.wholeMilliseconds) / 1000
            let measured = Measure(connections: wanted, bytesPerSecond: Double(received - start) / seconds)
            judge(measured, isSure: elapsed >= max(measure * Self.doubts, Self.shortestDoubt), at: now)
        case .settled(let until):
            // A clock that was set back must not make it wait for ever.
            guard now >= until || now.duration(to: until) > Self.longPatience else { return }
            before = nil
            phase = .gathering
        }
    }

    private mutating func judge(_ measure: Measure, isSure: Bool, at now: Instant) {
        var factor = 2
        if let before {
            let possible = Double(measure.connections) / Double(before.connections) - 1
            let share = (measure.bytesPerSecond / before.bytesPerSecond - 1) / possible
            let least = possible > 1 ? Self.worthwhileShareOfMany : Self.worthwhileShare
            guard share >= least else {
                guard isSure else { return }
                if wanted > before.connections * 2 {
                    // That was too large a step.
                    wanted /= 2
                    ceiling = wanted
                    phase = .gathering
                    return
                }
                let isHarmful = measure.bytesPerSecond < before.bytesPerSecond * Self.harmfulShare
                if isHarmful { wanted = before.connections }
                return settle(for: isHarmful ? Self.longPatience : Self.patience, at: now)
            }
            if share >= Self.linearShare { factor = 8 }
        }
        let highest = min(most, served, ceiling ?? most)
        guard wanted < highest else { return settle(for: Self.patience, at: now) }
        before = measure
        wanted = min(highest, wanted * factor)
        phase = .gathering
    }

    private mutating func settle(for duration: Duration, at now: Instant) {
        before = nil
        ceiling = nil
        phase = .settled(until: now.advanced(by: duration))
    }

    /// The sources serve so many together, as far as is known.
    public mutating func serve(_ connections: Int) {
        served = max(1, connections)
        if wanted > served { gather() }
    }

    /// A source has refused another connection; all together serve so many.
    public mutating func refused(serving connections: Int) {
        served = max(1, connections)
        gather()
    }

    private mutating func gather() {
        wanted = min(wanted, served)
        before = nil
        phase = .gathering
    }

    /// There are to be no more connections than now, for a while.
    public mutating func hold(at connections: Int, until moment: Instant) {
        wanted = max(1, min(wanted, connections))
        before = nil
        phase = .settled(until: moment)
    }
}
