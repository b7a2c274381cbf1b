/// Holds bytes to a rate.
///
/// Whoever has received bytes takes as many tokens and gets a ticket: the place in line behind all that were taken
/// before. Tokens are granted with time, and a ticket has waited long enough when they have come as far as its place.
/// So more may be taken than there are, as what has come cannot be sent back; the next one waits for it, and all who
/// share the bucket are served in the order in which they took.
///
/// Nothing is rounded: over any time in which one rate holds, the bytes whose tickets are served are at most those of
/// the rate, what was saved up before (``burst``), and what is not worth a wait (``shortestWait``).
public struct TokenBucket: Sendable {
    /// For how long tokens are saved up while nobody takes any.
    public static let burst: Duration = .milliseconds(250)
    /// A wait that is shorter is not worth a timer, and stays owed.
    public static let shortestWait: Duration = .milliseconds(5)

    /// A place in line.
    public struct Ticket: Hashable, Sendable {
        fileprivate var place: Int128
    }

    /// The rate that holds.
    public private(set) var limit: RateLimit
    /// Counted from the beginning, in billionths of a byte, so that a nanosecond at any rate is a whole number.
    private var taken: Int128 = 0
    /// In the same unit; how far `taken` may go by now.
    private var granted: Int128 = 0
    private var latest: Int64?

    /// Creates an empty bucket.
    public init(_ limit: RateLimit = .off) {
        self.limit = limit
    }

    /// Takes tokens, also such as are not there yet.
    ///
    /// - Parameter now: what a clock shows that only goes on; one that goes back all the same grants nothing
    ///   meanwhile.
    public mutating func take(_ bytes: Int64, at now: Duration) -> Ticket {
        refill(at: now)
        taken += Int128(max(0, bytes)) * 1_000_000_000
        if limit == .off { granted = taken }
        return Ticket(place: taken)
    }

    /// How long a ticket has yet to wait.
    public mutating func wait(for ticket: Ticket, at now: Duration) -> Duration {
        refill(at: now)
        guard let rate = limit.bytesPerSecond, ticket.place > granted else { return .zero }
        let nanoseconds = (ticket.place - granted + Int128(rate) - 1) / Int128(rate)
        let wait = Duration.nanoseconds(Int64(clamping: nanoseconds))
        return wait < Self.shortestWait ? .zero : wait
    }

    /// Another rate holds from now on, also for those who wait.
    public mutating func change(to limit: RateLimit, at now: Duration) {
        refill(at: now)
        if let old = self.limit.bytesPerSecond, let new = limit.bytesPerSecond {
            // Nobody waits longer than before for what has come: at a thousandth of the rate that would be minutes.
            let owed = taken - granted
            if new < old, owed > 0 { granted = taken - owed * Int128(new) / Int128(old) }
        } else {
            // What was taken without a limit is not owed afterwards.
            granted = taken
        }
        self.limit = limit
    }

    private mutating func refill(at now: Duration) {
        let now = now.nanoseconds
        let before = latest ?? now
        latest = max(before, now)
        guard let rate = limit.bytesPerSecond, now > before else { return }
        // More than a lifetime would not fit when it is multiplied by the largest rate.
        let elapsed = min(Int128(now) - Int128(before), 1 << 61)
        let most = taken + Int128(Self.burst.nanoseconds) * Int128(rate)
        // What was saved up at a former, higher rate stays, but does not grow.
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
