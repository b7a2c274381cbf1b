import FerryCore

/// An estimate of the present speed: an exponential average whose memory is a few seconds, whatever the interval
/// between samples.
struct SpeedEstimate: Sendable {
    /// Bytes a second; `nil` before two samples.
    private(set) var bytesPerSecond: Double?
    private var last: (bytes: Int64, at: Instant)?

    /// How many seconds the average remembers.
    static let memory = 3.0

    /// Adds a sample. A clock that went back, or bytes that were dropped, begin the estimate anew.
    mutating func sample(_ bytes: Int64, at now: Instant) {
        guard let last, now > last.at, bytes >= last.bytes else {
            self.last = (bytes, now)
            return
        }
        let seconds = Double(last.at.duration(to: now).wholeMilliseconds) / 1000
        let speed = Double(bytes - last.bytes) / seconds
        let weight = 1 - 1 / (1 + seconds / Self.memory)
        bytesPerSecond = bytesPerSecond.map { $0 + (speed - $0) * weight } ?? speed
        self.last = (bytes, now)
    }
}
