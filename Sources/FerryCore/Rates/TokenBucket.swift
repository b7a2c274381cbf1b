/// Keeps bytes within a rate.
///
/// A caller that has received bytes takes as many tokens and gets a ticket: its place in line behind all tokens taken
/// before. Tokens are granted with time. A ticket has waited long enough when they have reached its place. More may
/// be taken than was granted, as received bytes cannot be sent back; the next ticket waits for it. All callers of a
/// bucket are served in the order in which they took their tokens.
///
/// Nothing is rounded. While one rate applies, the bytes of served tickets are at most those of the rate, plus those
/// saved up before (``burst``) and those that are not worth a wait (``shortestWait``).
package struct TokenBucket: Sendable {
    /// The time for which tokens are saved up while no caller takes any.
    package static let burst: Duration = .milliseconds(250)
    /// A shorter wait is not worth a timer; it is added to the next wait.
    package static let shortestWait: Duration = .milliseconds(5)
    /// The least time over which ``setsTheSpeed`` is judged. Servers that send in bursts bring bytes unevenly.
    static let leastJudgement: Duration = .seconds(1)
    /// The share of the rate from which on it sets the speed.
    static let nearlyAll = 0.9

    /// A place in line.
    package struct Ticket: Hashable, Sendable {
        fileprivate var place: Int128
    }

    /// The present rate.
    package private(set) var limit: RateLimit
    /// Tokens taken since the beginning, in billionths of a byte, so that a nanosecond at any rate is a whole number.
    private var taken: Int128 = 0
    /// Tokens granted since the beginning, in the same unit.
    private var granted: Int128 = 0
    private var latest: Int64?
    /// Whether the rate sets the speed, so that more callers would gain nothing: the latest caller found nearly all tokens of
    /// the last second or two used up. In the first second, it is enough that this caller has to wait.
    package private(set) var setsTheSpeed = false
    /// How many tokens were used lately: those taken and granted.
    private var usage = RecentGrowth(over: Self.leastJudgement)

    /// Creates an empty bucket.
    package init(_ limit: RateLimit = .off) {
        self.limit = limit
    }

    /// Takes tokens, including tokens that are not granted yet.
    ///
    /// - Parameter now: the time of a monotonic clock. While it goes back, nothing is granted.
    package mutating func take(_ bytes: Int64, at now: Duration) -> Ticket {
        refill(at: now)
        // The bytes of this caller have yet to wait.
        let used = min(taken, granted)
        taken += Int128(max(0, bytes)) * 1_000_000_000
        let ticket = Ticket(place: taken)
        guard limit != .off else {
            granted = taken
            return ticket
        }
        judge(used, isWaiting: wait(for: ticket, at: now) > .zero)
        return ticket
    }

    private mutating func judge(_ used: Int128, isWaiting: Bool) {
        guard let rate = limit.bytesPerSecond, let latest else { return }
        let (tokens, time) = usage.sample(used, at: .nanoseconds(latest))
        let isUsedUp = Double(tokens) >= Double(rate) * (time / .nanoseconds(1)) * Self.nearlyAll
        setsTheSpeed = isUsedUp || (isWaiting && time < Self.leastJudgement)
    }

    /// How long a ticket must still wait.
    package mutating func wait(for ticket: Ticket, at now: Duration) -> Duration {
        refill(at: now)
        guard let rate = limit.bytesPerSecond, ticket.place > granted else { return .zero }
        let nanoseconds = (ticket.place - granted + Int128(rate) - 1) / Int128(rate)
        let wait = Duration.nanoseconds(Int64(clamping: nanoseconds))
        return wait < Self.shortestWait ? .zero : wait
    }

    /// Changes the rate, also for waiting tickets.
    package mutating func change(to limit: RateLimit, at now: Duration) {
        refill(at: now)
        if let old = self.limit.bytesPerSecond, let new = limit.bytesPerSecond {
            // Received bytes do not wait longer than before: at a thousandth of the rate that would be minutes.
            let owed = taken - granted
            if new < old, owed > 0 { granted = taken - owed * Int128(new) / Int128(old) }
        } else {
            // Tokens taken without a limit are not owed afterwards.
            granted = taken
        }
        self.limit = limit
        (setsTheSpeed, usage) = (false, RecentGrowth(over: Self.leastJudgement))
    }

    private mutating func refill(at now: Duration) {
        let now = now.nanoseconds
        let before = latest ?? now
        latest = max(before, now)
        guard let rate = limit.bytesPerSecond, now > before else { return }
        // A longer time would overflow when multiplied by the largest rate.
        let elapsed = min(Int128(now) - Int128(before), 1 << 61)
        let most = taken + Int128(Self.burst.nanoseconds) * Int128(rate)
        // Tokens saved up at a former, higher rate stay, but do not grow.
        granted = max(granted, min(granted + elapsed * Int128(rate), most))
    }
}

extension Duration {
    /// This duration in nanoseconds, saturated at the range of an `Int64`.
    fileprivate var nanoseconds: Int64 {
        if self >= .nanoseconds(Int64.max) { return .max }
        if self <= .nanoseconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
