import Ferry

/// An estimate of the speed of a transfer in another process, from the progress that the process records.
struct FollowedSpeed: Hashable, Sendable {
    private var estimate = SpeedEstimate()

    /// Bytes per second, smoothed over the last seconds; `nil` before two samples.
    var bytesPerSecond: Double? { estimate.bytesPerSecond }

    /// Adds a sample. An unchanged figure within a few seconds is ignored, because the other process records only at
    /// intervals.
    mutating func sample(_ bytes: Int64, isRunning: Bool, at now: Instant) {
        guard isRunning else {
            estimate = SpeedEstimate()
            return
        }
        if let last = estimate.last, bytes == last.bytes, now > last.at,
            last.at.duration(to: now) < SpeedEstimate.window
        {
            return
        }
        estimate.sample(bytes, at: now)
    }
}
