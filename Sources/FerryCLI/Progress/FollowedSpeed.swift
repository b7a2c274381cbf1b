import Ferry

/// An estimate of the speed of a transfer that another process runs, from the progress which that one records.
struct FollowedSpeed: Hashable, Sendable {
    /// Bytes a second, smoothed over the last seconds; `nil` before two samples.
    private(set) var bytesPerSecond: Double?
    private var last: Sample?

    private struct Sample: Hashable, Sendable {
        var bytes: Int64
        var at: Instant
    }

    /// How many seconds the average remembers.
    private static let memory = 3.0

    /// Adds a sample. The same figure again within a moment tells nothing: the other process records only now
    /// and then.
    mutating func sample(_ bytes: Int64, isRunning: Bool, at now: Instant) {
        guard isRunning, let last, now > last.at, bytes >= last.bytes else {
            bytesPerSecond = isRunning ? bytesPerSecond : nil
            last = isRunning ? Sample(bytes: bytes, at: now) : nil
            return
        }
        let seconds = Double(last.at.duration(to: now).wholeMilliseconds) / 1000
        if bytes == last.bytes, seconds < Self.memory { return }
        let speed = Double(bytes - last.bytes) / seconds
        let weight = seconds / (seconds + Self.memory)
        bytesPerSecond = bytesPerSecond.map { $0 + (speed - $0) * weight } ?? speed
        self.last = Sample(bytes: bytes, at: now)
    }
}
