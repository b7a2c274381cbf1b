import Ferry

/// An estimate of the speed of a transfer that another process runs, from the progress which that one records.
struct FollowedSpeed: Hashable, Sendable {
    private var estimate = SpeedEstimate()

    /// Bytes a second, smoothed over the last seconds; `nil` before two samples.
    var bytesPerSecond: Double? { estimate.bytesPerSecond }

    /// Adds a sample. The same figure again within a moment tells nothing: the other process records only now
    /// and then.
    mutating func sample(_ bytes: Int64, isRunning: Bool, at now: Instant) {
        guard isRunning else {
            estimate = SpeedEstimate()
            return
        }
        if let last = estimate.last, bytes == last.bytes, now > last.at,
            last.at.duration(to: now) < .seconds(SpeedEstimate.memory)
        {
            return
        }
        estimate.sample(bytes, at: now)
    }
}
