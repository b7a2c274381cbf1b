import Synchronization

/// A result that callers wait for; it is set once.
final class ResultTicket<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, any Error>

    private enum State {
        /// The callers that wait, by number.
        case open([Int: CheckedContinuation<Outcome, Never>])
        case over(Outcome)
    }

    private struct Waits {
        var state = State.open([:])
        var latest = 0
    }

    private let waits = Mutex(Waits())

    /// Whether the outcome is set.
    var isOver: Bool {
        waits.withLock { waits in
            if case .over = waits.state { true } else { false }
        }
    }

    /// Sets the outcome. Later calls have no effect.
    func end(_ outcome: Outcome) {
        let waiting = waits.withLock { waits -> [CheckedContinuation<Outcome, Never>] in
            guard case .open(let waiting) = waits.state else { return [] }
            waits.state = .over(outcome)
            return waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        for continuation in waiting { continuation.resume(returning: outcome) }
    }

    /// Waits for the outcome, or until this task is cancelled.
    func value() async throws -> Value {
        let number = waits.withLock { waits in
            waits.latest += 1
            return waits.latest
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                let known = waits.withLock { waits -> Outcome? in
                    // Checked under the lock: the handler below may have run before the wait began.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard case .open(var waiting) = waits.state else {
                        guard case .over(let outcome) = waits.state else { return nil }
                        return outcome
                    }
                    waiting[number] = continuation
                    waits.state = .open(waiting)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let waiting = waits.withLock { waits -> CheckedContinuation<Outcome, Never>? in
                guard case .open(var waiting) = waits.state else { return nil }
                defer { waits.state = .open(waiting) }
                return waiting.removeValue(forKey: number)
            }
            waiting?.resume(returning: .failure(CancellationError()))
        }
        return try outcome.get()
    }
}
