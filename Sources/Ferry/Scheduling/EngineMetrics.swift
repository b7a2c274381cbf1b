import FerryCore
import Metrics

/// What the engine counts, through whichever metrics backend the application has chosen.
enum EngineMetrics {
    /// An attempt has ended and its transfer is in `state` now.
    static func count(_ state: TransferState) {
        Counter(label: "ferry_attempts_total", dimensions: [("state", state.name)]).increment()
    }

    /// So many bytes were received in one attempt.
    static func count(receivedBytes: Int64) {
        guard receivedBytes > 0 else { return }
        Counter(label: "ferry_received_bytes_total").increment(by: receivedBytes)
    }
}
