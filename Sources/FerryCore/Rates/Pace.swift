/// How fast a body may be sent or received: within the limits of all its limiters.
package struct Pace: Hashable, Sendable {
    /// Time after which a wait is computed again, as a limit may have been lifted meanwhile.
    package static let longestWait: Duration = .milliseconds(250)
    /// The smallest worthwhile read from a connection, in bytes.
    package static let smallestPortion = 4096
    /// The minimum number of reads of a connection a second, unless ``smallestPortion`` makes it fewer.
    static let portionsPerSecond: Int64 = 16

    /// The limits for which bytes must wait after they were sent or received.
    package struct Toll: Sendable {
        fileprivate var tickets: [TokenBucket.Ticket]
    }

    private let limiters: [any RateLimiter]

    /// Creates a pace; without limiters it never waits.
    package init(_ limiters: [any RateLimiter] = []) {
        self.limiters = limiters
    }

    /// Whether no limiter has a limit now. Then bytes are not counted: a limit that is set later does not include them.
    package var isOff: Bool { limiters.allSatisfy { $0.isOff } }

    /// Counts received bytes, unless all limiters are off.
    package func take(_ bytes: Int, at now: Duration) -> Toll {
        isOff ? Toll(tickets: []) : Toll(tickets: limiters.map { $0.take(Int64(bytes), at: now) })
    }

    /// How long the bytes must still wait. Ask again after ``longestWait``.
    package func wait(for toll: Toll, at now: Duration) -> Duration {
        zip(limiters, toll.tickets).map { $0.wait(for: $1, at: now) }.max() ?? .zero
    }

    /// Counts bytes that have moved, and returns when the next may. With no bytes, it waits for those counted before.
    ///
    /// - Parameters:
    ///   - now: the time of a monotonic clock.
    ///   - sleep: lets this time pass.
    /// - Throws: what `sleep` throws.
    package func settle(
        _ bytes: Int = 0,
        now: @Sendable () -> Duration,
        sleep: @Sendable (Duration) async throws -> Void
    ) async throws {
        guard !isOff else { return }
        let toll = take(bytes, at: now())
        while case let rest = wait(for: toll, at: now()), rest > .zero {
            try await sleep(min(rest, Self.longestWait))
        }
    }

    /// The number of bytes that one read may bring, up to `most`. Small reads make a slow body arrive evenly, and
    /// show the server sooner that its client is there.
    package func portion(of most: Int) -> Int {
        if isOff { return most }
        let rates = limiters.compactMap(\.limit.bytesPerSecond)
        guard let rate = rates.min() else { return most }
        return min(most, max(Self.smallestPortion, Int(clamping: rate / Self.portionsPerSecond)))
    }

    /// Whether both use the same limiters.
    package static func == (lhs: Pace, rhs: Pace) -> Bool {
        lhs.limiters.map(ObjectIdentifier.init) == rhs.limiters.map(ObjectIdentifier.init)
    }

    /// Hashes the identity of the limiters.
    package func hash(into hasher: inout Hasher) {
        for limiter in limiters { hasher.combine(ObjectIdentifier(limiter)) }
    }
}
