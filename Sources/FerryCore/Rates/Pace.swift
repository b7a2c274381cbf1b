/// How fast the body of a response may come: as fast as every one of several limiters allows.
public struct Pace: Hashable, Sendable {
    /// After how long a wait is asked for again, as a limit may have been lifted meanwhile.
    public static let longestWait: Duration = .milliseconds(250)
    /// The least that is worth one read from a connection.
    public static let smallestPortion = 4096
    /// How many times a second a connection is read at least, where the least portion allows that.
    static let portionsPerSecond: Int64 = 16

    /// What bytes that have come have to wait for.
    public struct Toll: Sendable {
        fileprivate var tickets: [TokenBucket.Ticket]
    }

    private let limiters: [any RateLimiter]

    /// Creates a pace; without any limiter it holds nothing back.
    public init(_ limiters: [any RateLimiter] = []) {
        self.limiters = limiters
    }

    /// Whether there is nothing that could ever hold a byte back.
    public var isFree: Bool { limiters.isEmpty }

    /// Counts bytes that have come.
    public func take(_ bytes: Int, at now: Duration) -> Toll {
        Toll(tickets: limiters.map { $0.take(Int64(bytes), at: now) })
    }

    /// How long they have yet to wait; to be asked for again after ``longestWait``.
    public func wait(for toll: Toll, at now: Duration) -> Duration {
        zip(limiters, toll.tickets).map { $0.wait(for: $1, at: now) }.max() ?? .zero
    }

    /// How many bytes one read may bring where it could bring `most`: the smaller they are, the more evenly a slow
    /// body comes, and the sooner the server sees that somebody is there.
    public func portion(of most: Int) -> Int {
        let rates = limiters.compactMap(\.limit.bytesPerSecond)
        guard let rate = rates.min() else { return most }
        return min(most, max(Self.smallestPortion, Int(clamping: rate / Self.portionsPerSecond)))
    }

    /// Whether both go by the same limiters.
    public static func == (lhs: Pace, rhs: Pace) -> Bool {
        lhs.limiters.map(ObjectIdentifier.init) == rhs.limiters.map(ObjectIdentifier.init)
    }

    /// Hashes the identity of the limiters.
    public func hash(into hasher: inout Hasher) {
        for limiter in limiters { hasher.combine(ObjectIdentifier(limiter)) }
    }
}
