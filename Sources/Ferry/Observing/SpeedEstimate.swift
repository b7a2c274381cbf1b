package import FerryCore

/// An estimate of the present speed: an exponential average whose memory is a few seconds, whatever the interval
/// between samples.
package struct SpeedEstimate: Hashable, Sendable {
    /// Bytes a second; `nil` before two samples.
    package private(set) var bytesPerSecond: Double?
    /// The latest sample.
    package private(set) var last: Sample?

    /// How far a transfer had come at a moment.
    package struct Sample: Hashable, Sendable {
        /// The bytes that were there.
        package var bytes: Int64
        /// The moment.
        package var at: Instant
    }

    /// How many seconds the average remembers.
    package static let memory = 3.0

    /// An estimate without samples.
    package init() {}

    /// Adds a sample. A clock that went back, or bytes that were dropped, begin the estimate anew.
    package mutating func sample(_ bytes: Int64, at now: Instant) {
        defer { last = Sample(bytes: bytes, at: now) }
        guard let last, now > last.at, bytes >= last.bytes else { return }
        let seconds = Double(last.at.duration(to: now).wholeMilliseconds) / 1000
        let speed = Double(bytes - last.bytes) / seconds
        let weight = seconds / (seconds + Self.memory)
        bytesPerSecond = bytesPerSecond.map { $0 + (speed - $0) * weight } ?? speed
    }
}
