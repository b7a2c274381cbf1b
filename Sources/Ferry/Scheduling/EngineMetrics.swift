import FerryCore
import Metrics

/// The engine's metrics, sent to the metrics backend of the application.
enum EngineMetrics {
    /// Counts an ended attempt, whose transfer is now in `state`.
    static func count(_ state: TransferState) {
        Counter(label: "ferry_attempts_total", dimensions: [("state", state.name.rawValue)]).increment()
    }

    /// Adds the bytes received in one attempt.
    static func count(receivedBytes: Int64) {
        guard receivedBytes > 0 else { return }
        Counter(label: "ferry_received_bytes_total").increment(by: receivedBytes)
    }
}
