import Synchronization

/// Keeps what it is told, from any thread, in order.
final class ValueRecorder<Value: Sendable>: Sendable {
    private let recorded = Mutex<[Value]>([])

    var values: [Value] { recorded.withLock { $0 } }

    func record(_ value: Value) {
        recorded.withLock { $0.append(value) }
    }
}
