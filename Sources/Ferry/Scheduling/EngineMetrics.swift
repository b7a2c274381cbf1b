import FerryCore
import Metrics
import Synchronization

/// The metrics of one engine, sent to the metrics backend of the application.
///
/// Each counter is made once, when it is first needed, by the backend that is set up then. Two tasks may make the same
/// counter at once; the backend then adds up both.
final class EngineMetrics: Sendable {
    private let attempts = Mutex<[TransferState.Name: any CounterHandler]>([:])
    private let received = Mutex<(any CounterHandler)?>(nil)

    /// Counts an ended attempt, whose transfer is now in `state`.
    func count(_ state: TransferState) {
        attemptCounter(of: state.name).increment(by: 1)
    }

    /// Adds the bytes received in one attempt.
    func count(receivedBytes: Int64) {
        guard receivedBytes > 0 else { return }
        byteCounter().increment(by: receivedBytes)
    }

    private func attemptCounter(of state: TransferState.Name) -> any CounterHandler {
        if let known = attempts.withLock({ $0[state] }) { return known }
        let counter = MetricsSystem.factory.makeCounter(
            label: "ferry_attempts_total",
            dimensions: [("state", state.rawValue)]
        )
        attempts.withLock { $0[state] = counter }
        return counter
    }

    private func byteCounter() -> any CounterHandler {
        if let known = received.withLock({ $0 }) { return known }
        let counter = MetricsSystem.factory.makeCounter(label: "ferry_received_bytes_total", dimensions: [])
        received.withLock { $0 = counter }
        return counter
    }
}
