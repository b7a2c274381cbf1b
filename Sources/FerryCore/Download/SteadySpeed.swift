/// The speed of a body over its last two to four seconds, which bursts and short pauses hardly change.
struct SteadySpeed: Hashable, Sendable {
    /// The least time over which it is measured.
    static let leastTime: Duration = .seconds(2)

    /// How far the body had come at a moment.
    private struct Mark: Hashable, Sendable {
        var offset: Int64
        var moment: Instant
    }

    /// Where the measurement begins.
    private var start: Mark?
    /// Where it will begin when that is too long ago.
    private var next: Mark?
    /// The speed in bytes a second, of a new body over all of its shorter time; `nil` before the second sample.
    private(set) var soFar: Double?
    /// The speed in bytes a second; `nil` until it was measured for long enough.
    private(set) var bytesPerSecond: Double?

    /// Takes a sample.
    mutating func sample(_ offset: Int64, at now: Instant) {
        let mark = Mark(offset: offset, moment: now)
        guard let first = start, let second = next, second.moment <= now else {
            (start, next) = (mark, mark)
            return
        }
        let elapsed = first.moment.duration(to: now)
        guard elapsed >= ConnectionPlan.shortestMeasure else { return }
        soFar = Double(max(0, offset - first.offset)) / (elapsed / .seconds(1))
        if elapsed >= Self.leastTime { bytesPerSecond = soFar }
        if second.moment.duration(to: now) >= Self.leastTime { (start, next) = (second, mark) }
    }
}
