/// Decides how many connections a download has. It starts with one, and doubles the number as long as this makes the
/// download faster. It multiplies by eight when the speed grew in proportion to the number.
///
/// It sees only totals, sampled by its caller. The machine decides what each connection fetches.
package struct ConnectionPlan: Hashable, Sendable {
    private enum Phase: Hashable, Sendable {
        /// Fewer bodies than wanted are under way.
        case gathering
        /// All wanted connections bring bytes; measured since then.
        case measuring(Measurement)
        /// The number does not grow before that moment.
        case settled(until: Instant)
    }

    /// The bytes that have come since all wanted connections brought some.
    private struct Measurement: Hashable, Sendable {
        let since: Instant
        let start: Int64
        private var latest: Int64
        private var grewAt: Instant
        /// The longest time without more bytes, also one that has not ended.
        private(set) var longestPause: Duration = .zero

        init(since: Instant, start: Int64) {
            (self.since, self.start) = (since, start)
            (latest, grewAt) = (start, since)
        }

        mutating func note(_ received: Int64, at now: Instant) {
            longestPause = max(longestPause, grewAt.duration(to: now))
            if received > latest { (latest, grewAt) = (received, now) }
        }
    }

    private struct Measure: Hashable, Sendable {
        var connections: Int
        var bytesPerSecond: Double
        /// Whether it lasted so long that a burst hardly changes it.
        var isSure: Bool
        /// The number to return to if more connections bring nothing.
        var fallback: Int
    }

    /// A check whether fewer connections are fast once the others are closed.
    private struct Retreat: Hashable, Sendable {
        /// The number to return to if they are not, and its speed.
        let many: Int
        let bytesPerSecond: Double
        /// When the check ends.
        let until: Instant
    }

    /// The most connections that a server bears, as a retreat has shown.
    private struct Bound: Hashable, Sendable {
        let connections: Int
        let until: Instant
    }

    /// Maximum connections over all sources.
    package let most: Int
    /// The known number of connections that the sources serve together.
    private var served = Int.max
    /// The number of connections wanted now.
    package private(set) var wanted = 1
    private var phase = Phase.gathering
    /// The speed that was measured with fewer connections.
    private var before: Measure?
    /// The speed that was measured with about twice as many connections, before the number was halved. Until the next rest,
    /// it grows no more.
    private var above: Measure?
    /// The highest speed that was measured.
    private var best: Measure?
    /// The check of fewer connections that is under way.
    private var retreat: Retreat?
    /// Number of such checks so far. One that showed the reason does not count.
    private var retreats = 0
    private var bound: Bound?
    /// Whether a retreat has shown that the server bears only a few connections. The next try may show it alone.
    private var hasHadBound = false
    /// Time until more connections are tried again after they bring too little the next time.
    private var nextRest = Self.shortPatience
    /// The longest recent time that a server took to begin its answer.
    private(set) var slowestAnswer: Duration = .zero

    /// Number of samples that found fewer bodies under way than wanted.
    private var waits = 0

    /// The share of the possible gain that twice as many connections must bring to be kept.
    static let worthwhileShare = 0.3
    /// The same share for more than twice as many.
    static let worthwhileShareOfMany = 0.5
    /// From this share on, only the number of connections sets the speed.
    static let linearShare = 0.75
    /// Below this share of the possible gain, the further connections are closed again.
    static let uselessShare = 0.1
    /// Below this fraction of the former speed, more connections have made it worse.
    static let harmfulShare = 0.7
    /// From the highest speed divided by this, fewer connections are checked. A server that begins each body with the bytes of a
    /// second looks 25 times as fast in the shortest measure, so two connections still have more than this.
    static let collapse = 16.0
    /// The largest number of such checks. Each lasts twice as long as the one before, the first ``shortPatience``.
    static let mostRetreats = 5
    /// A failed check is not repeated for this many times as long as it lasted, and at most for ``longPatience``.
    static let pauseOfRetreats = 4
    /// Time until more connections are tried again after a retreat from them.
    static let boundTime: Duration = .seconds(600)
    /// Time until more connections are tried again after they brought too little for the first time. It doubles each
    /// time, up to ``longPatience``.
    static let shortPatience: Duration = .seconds(2)
    /// Time until the number is checked again when it is the highest, or after a source gave no usable answer.
    static let patience: Duration = .seconds(10)
    /// Time until more connections are tried again after they did harm.
    static let longPatience: Duration = .seconds(60)
    /// The shortest time over which a speed is measured.
    static let shortestMeasure: Duration = .milliseconds(40)
    /// A measurement must last this many times as long before it may show that more connections brought too little.
    /// Servers that send in bursts bring bytes unevenly.
    static let doubts = 4
    /// The shortest time for such a measurement.
    static let shortestDoubt: Duration = .milliseconds(400)
    /// Such a measurement lasts this many times as long as its longest pause, because connections do not get their
    /// bursts at the same time.
    static let pausesOfDoubt = 3
    /// Longest pause between two bursts that still counts as part of a server's speed.
    static let longestPause: Duration = .seconds(3)
    /// First interval for checking whether all wanted bodies are under way.
    static let shortestWait: Duration = .milliseconds(4)

    /// Creates a plan for at most this many connections.
    package init(most: Int) {
        self.most = max(1, most)
    }

    /// Time until the next sample.
    package var sampleInterval: Duration {
        switch phase {
        case .settled: .seconds(1)
        case .gathering: min(Self.shortestWait * (1 << min(waits, 8)), .seconds(1))
        case .measuring: measure
        }
    }

    /// The least time over which a speed is measured.
    private var measure: Duration { min(max(Self.shortestMeasure, slowestAnswer * 2), .seconds(2)) }

    /// The least time of a measurement with this longest pause that may show that more connections brought too little.
    private func leastDoubt(for pause: Duration) -> Duration {
        max(measure * Self.doubts, Self.shortestDoubt, min(pause, Self.longestPause) * Self.pausesOfDoubt)
    }

    /// Notes how long a server took to begin its answer.
    package mutating func answered(after duration: Duration) {
        // One slow answer is forgotten when several quick ones have come.
        slowestAnswer = max(duration, slowestAnswer * 3 / 4)
    }

    /// Takes a sample: the total bytes received, and the number of bodies under way.
    package mutating func sample(received: Int64, receiving: Int, at now: Instant) {
        // A clock that was set back must not make the plan wait for ever.
        if let until = bound?.until, now >= until || now.duration(to: until) > Self.boundTime { bound = nil }
        if let retreat, now >= retreat.until || now.duration(to: retreat.until) > Self.longPatience {
            return giveUp(retreat, at: now)
        }
        switch phase {
        case .gathering:
            guard receiving >= wanted else {
                waits += 1
                return
            }
            waits = 0
            phase = .measuring(Measurement(since: now, start: received))
        case .measuring(var measurement):
            let start = measurement.start
            let elapsed = measurement.since.duration(to: now)
            // The clock was set back, bytes were dropped or a connection has ended: measure again.
            guard elapsed >= .zero, received >= start, receiving >= wanted else {
                phase = .gathering
                return
            }
            measurement.note(received, at: now)
            phase = .measuring(measurement)
            guard elapsed >= Self.shortestMeasure else { return }
            // If no bytes come at all, the number of connections is not the reason. Bursts are measured from one to
            // the next.
            guard received > start else {
                if elapsed > Self.longestPause { phase = .gathering }
                return
            }
            let seconds = Double(elapsed.wholeMilliseconds) / 1000
            let measured = Measure(
                connections: wanted,
                bytesPerSecond: Double(received - start) / seconds,
                isSure: elapsed >= leastDoubt(for: measurement.longestPause),
                fallback: wanted
            )
            if let retreat { return check(retreat, with: measured, at: now) }
            let speed = max(measured.bytesPerSecond, above?.bytesPerSecond ?? 0)
            judge(measured, isLong: elapsed >= leastDoubt(for: .zero), at: now)
            if case .settled = phase { stepBack(from: speed, at: now) }
        case .settled(let until):
            // A clock that was set back must not make the plan wait for ever.
            guard now >= until || now.duration(to: until) > Self.longPatience else { return }
            before = nil
            phase = .gathering
        }
    }

    private mutating func judge(_ measure: Measure, isLong: Bool, at now: Instant) {
        // A further try needs sure measures, so that a burst does not spoil it again.
        guard measure.isSure || nextRest == Self.shortPatience else { return }
        // Whether fewer connections are checked is decided by a sure measure.
        guard measure.isSure || wanted < highest || !isCollapsed(measure.bytesPerSecond) else { return }
        note(measure)
        var factor = 2
        if let before {
            let possible = Double(measure.connections) / Double(before.connections) - 1
            let share = (measure.bytesPerSecond / before.bytesPerSecond - 1) / possible
            let least = possible > 1 ? Self.worthwhileShareOfMany : Self.worthwhileShare
            guard share >= least else {
                // The pauses after a burst are long. A step up from the first measure rejects nothing, so it need not
                // wait for several of them.
                let isFirst = !before.isSure && before.connections == 1 && wanted < highest
                if measure.isSure || (isFirst && isLong) {
                    reject(measure, after: before, share: share, at: now)
                }
                return
            }
            nextRest = Self.shortPatience
            if share >= Self.linearShare { factor = 8 }
        }
        grow(by: factor, from: measure, at: now)
    }

    /// Handles more connections that brought too little.
    private mutating func reject(
        _ measure: Measure,
        after before: Measure,
        share: Double,
        at now: Instant
    ) {
        if let above, above.bytesPerSecond >= measure.bytesPerSecond * (1 + Self.worthwhileShare) {
            // The step was not too large. A burst made the speed before it look too high.
            wanted = min(served, above.connections)
            return settle(for: Self.patience, at: now)
        }
        if wanted > before.connections * 2 {
            // The step was too large. The half, rounded up, is still more than before.
            above = measure
            wanted -= wanted / 2
            phase = .gathering
            return
        }
        let isHarmful = measure.bytesPerSecond < before.bytesPerSecond * Self.harmfulShare
        if !before.isSure, wanted < highest || !isHarmful {
            // Many servers begin with a burst. A short measure that caught it is too high to compare with, so the next
            // step is compared with the longer one.
            var measure = measure
            if isHarmful { measure.fallback = before.fallback }
            return grow(by: 2, from: measure, at: now)
        }
        if share < Self.uselessShare { wanted = before.fallback }
        guard isHarmful, before.isSure else { return rest(at: now) }
        if hasHadBound, isCollapsed(measure.bytesPerSecond) { setBound(at: now) }
        settle(for: Self.longPatience, at: now)
    }

    /// The highest number that may be tried now.
    private var highest: Int { min(most, served, bound?.connections ?? most, above == nil ? most : wanted) }

    // MARK: Too many connections

    /// Keeps the highest speed. A long measure of no more connections shows that it was a burst or is past.
    private mutating func note(_ measure: Measure) {
        if let best, measure.bytesPerSecond < best.bytesPerSecond,
            !measure.isSure || measure.connections > best.connections
        {
            return
        }
        best = measure
    }

    /// Whether a speed is so far below the highest one that too many connections may be the reason.
    private func isCollapsed(_ bytesPerSecond: Double) -> Bool {
        guard let best else { return false }
        return bytesPerSecond * Self.collapse <= best.bytesPerSecond
    }

    /// Checks the number of connections that was fastest, if the number has stopped growing at a far lower speed. A server may
    /// slow down all connections because there are too many, and then even more of them look like a gain.
    private mutating func stepBack(from bytesPerSecond: Double, at now: Instant) {
        guard let best, isCollapsed(bytesPerSecond), retreats < Self.mostRetreats else { return }
        // The best measure may have begun before the server slowed down. So each further check takes half as many.
        let fewer = max(1, best.connections >> retreats)
        guard fewer < wanted else { return }
        let many = wanted
        wanted = fewer
        gather()
        retreats += 1
        let until = now.advanced(by: max(retreatTime, leastDoubt(for: .zero) * 2))
        retreat = Retreat(many: many, bytesPerSecond: bytesPerSecond, until: until)
    }

    /// How long the latest retreat lasts.
    private var retreatTime: Duration { Self.shortPatience * (1 << max(0, retreats - 1)) }

    /// Compares fewer connections with the many before. The server may need a while to recover, so they are measured again and
    /// again.
    private mutating func check(_ retreat: Retreat, with measure: Measure, at now: Instant) {
        guard measure.isSure else { return }
        guard measure.bytesPerSecond * Self.harmfulShare > retreat.bytesPerSecond else {
            phase = .gathering
            return
        }
        best = measure
        retreats -= 1
        setBound(at: now)
        nextRest = Self.longPatience
        settle(for: Self.patience, at: now)
    }

    private mutating func setBound(at now: Instant) {
        bound = Bound(connections: wanted, until: now.advanced(by: Self.boundTime))
        hasHadBound = true
    }

    /// Returns to the many connections, because fewer were not faster in time.
    private mutating func giveUp(_ retreat: Retreat, at now: Instant) {
        wanted = max(1, min(highest, retreat.many))
        settle(for: min(retreatTime * Self.pauseOfRetreats, Self.longPatience), at: now)
    }

    // MARK: Growth and rest

    private mutating func grow(by factor: Int, from measure: Measure, at now: Instant) {
        guard wanted < highest else {
            return above == nil ? settle(for: Self.patience, at: now) : rest(at: now)
        }
        before = measure
        wanted = min(highest, wanted * factor)
        phase = .gathering
    }

    /// Tries no more connections for a while, which is longer each time.
    private mutating func rest(at now: Instant) {
        settle(for: nextRest, at: now)
        nextRest = min(nextRest * 2, Self.longPatience)
    }

    /// Wants no more connections than were kept when others were closed because they dripped. More are tried after a while. If
    /// more than half as many were closed as kept, this while is longer each time: the server may give no more fast ones.
    package mutating func keep(_ kept: Int, closed: Int, at now: Instant) {
        wanted = max(1, min(wanted, kept))
        if closed * 2 > kept { return rest(at: now) }
        if case .settled(let until) = phase, now.duration(to: until) > Self.shortPatience { return }
        settle(for: Self.shortPatience, at: now)
    }

    private mutating func settle(for duration: Duration, at now: Instant) {
        (before, above, retreat) = (nil, nil, nil)
        phase = .settled(until: now.advanced(by: duration))
    }

    /// The sources are known to serve this many connections together.
    package mutating func serve(_ connections: Int) {
        served = max(1, connections)
        if wanted > served { gather() }
    }

    /// A source refused another connection. All sources together serve this many.
    package mutating func refused(serving connections: Int) {
        served = max(1, connections)
        gather()
    }

    private mutating func gather() {
        wanted = min(wanted, served)
        (before, above, retreat) = (nil, nil, nil)
        phase = .gathering
    }

    /// Allows no more than this many connections until a moment.
    package mutating func hold(at connections: Int, until moment: Instant) {
        wanted = max(1, min(wanted, connections))
        (before, above, retreat) = (nil, nil, nil)
        phase = .settled(until: moment)
    }
}
