/// The speed of a body over its last two to four seconds, which bursts and short pauses hardly change.
struct SteadySpeed: Hashable, Sendable {
    /// The least time over which it is measured.
    static let leastTime: Duration = .seconds(2)

    private var growth = RecentGrowth(over: Self.leastTime)
    /// The speed in bytes a second, of a new body over all of its shorter time; `nil` before the second sample.
    private(set) var soFar: Double?
    /// The speed in bytes a second; `nil` until it was measured for long enough.
    private(set) var bytesPerSecond: Double?

    /// Takes a sample.
    mutating func sample(_ offset: Int64, at now: Instant) {
        let (bytes, time) = growth.sample(Int128(offset), at: Instant.epoch.duration(to: now))
        guard time >= ConnectionPlan.shortestMeasure else { return }
        soFar = Double(max(0, bytes)) / (time / .seconds(1))
        if time >= Self.leastTime { bytesPerSecond = soFar }
    }
}
