import FerryCore

/// The progress of a transfer at one moment.
public struct TransferProgress: Hashable, Sendable {
    /// The bytes received: of the file for a download, of the answer for a request. Of a file that is sent, the bytes that
    /// have left, or that the server of an upload has confirmed.
    public var received: Int64
    /// The total length, in bytes; `nil` until the server has reported it.
    public var total: Int64?
    /// Bytes per second, smoothed over the last seconds; `nil` while the transfer does not run here.
    public var bytesPerSecond: Double?
    /// Number of connections that bring bytes at this moment; `nil` if the transfer does not run here, and for several transfers.
    package var connections: Int?

    /// The received share, from 0 to 1; `nil` while the length is unknown.
    public var fraction: Double? {
        total.map { $0 == 0 ? 1 : Double(received) / Double($0) }
    }

    /// The time that the rest takes at the present speed; `nil` while the length or the speed is unknown.
    public var timeLeft: Duration? {
        guard let total, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return .seconds(Double(max(0, total - received)) / bytesPerSecond)
    }

    /// Creates a progress.
    public init(received: Int64, total: Int64?, bytesPerSecond: Double? = nil) {
        self.received = received
        self.total = total
        self.bytesPerSecond = bytesPerSecond
    }

    /// Adds another transfer; if one total is unknown, so is the sum.
    mutating func add(_ other: TransferProgress) {
        received = received.addingSaturated(other.received)
        total = total.flatMap { total in other.total.map { total.addingSaturated($0) } }
        if let speed = other.bytesPerSecond { bytesPerSecond = (bytesPerSecond ?? 0) + speed }
    }
}
