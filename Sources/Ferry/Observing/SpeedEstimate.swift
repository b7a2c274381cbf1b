package import FerryCore

/// An estimate of the present speed: an exponential average over a few seconds, for any interval between samples.
package struct SpeedEstimate: Hashable, Sendable {
    /// Bytes per second; `nil` before two samples.
    package private(set) var bytesPerSecond: Double?
    /// The latest sample.
    package private(set) var last: Sample?

    /// The progress of a transfer at a moment.
    package struct Sample: Hashable, Sendable {
        /// The bytes present.
        package var bytes: Int64
        /// The moment.
        package var at: Instant
    }

    /// Memory of the average, in seconds.
    package static let memory = 3.0

    /// An estimate without samples.
    package init() {}

    /// Adds a sample. Has no effect on the average if the clock was set back or bytes were dropped.
    package mutating func sample(_ bytes: Int64, at now: Instant) {
        defer { last = Sample(bytes: bytes, at: now) }
        guard let last, now > last.at, bytes >= last.bytes else { return }
        let seconds = Double(last.at.duration(to: now).wholeMilliseconds) / 1000
        let speed = Double(bytes - last.bytes) / seconds
        let weight = seconds / (seconds + Self.memory)
        bytesPerSecond = bytesPerSecond.map { $0 + (speed - $0) * weight } ?? speed
    }
}
