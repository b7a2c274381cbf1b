package import FerryCore

/// An estimate of the present speed: the bytes of the last seconds, divided by their time.
package struct SpeedEstimate: Hashable, Sendable {
    /// The progress of a transfer at a moment.
    package struct Sample: Hashable, Sendable {
        /// The bytes present.
        package var bytes: Int64
        /// The moment.
        package var at: Instant
    }

    /// The time that it looks back.
    package static let window: Duration = .seconds(3)
    /// The least time between two samples that are kept; the latest is always kept.
    private static let spacing: Duration = .milliseconds(250)

    /// The kept samples, the oldest first. Only the first one may be older than the window.
    private var samples: [Sample] = []

    /// An estimate without samples.
    package init() {}

    /// The latest sample.
    package var last: Sample? { samples.last }

    /// Bytes per second; `nil` before two samples.
    package var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let time = first.at.duration(to: last.at).wholeMilliseconds
        return time > 0 ? Double(last.bytes - first.bytes) * 1000 / Double(time) : nil
    }

    /// Adds a sample. If the clock was set back or bytes were dropped, the estimate begins anew.
    package mutating func sample(_ bytes: Int64, at now: Instant) {
        let sample = Sample(bytes: bytes, at: now)
        guard let last, now >= last.at, bytes >= last.bytes else {
            samples = [sample]
            return
        }
        if samples.count > 1, samples[samples.count - 2].at.duration(to: last.at) < Self.spacing {
            samples.removeLast()
        }
        samples.append(sample)
        while samples.count > 2, samples[1].at.duration(to: now) >= Self.window { samples.removeFirst() }
    }
}
