internal import Synchronization

/// A value that code under test changes and that a test waits for.
///
/// Every wait ends when its task is cancelled. A test whose event never comes fails at its time limit and
/// does not hang.
package final class Watched<Value: Sendable>: Sendable {
    private typealias Continuation = CheckedContinuation<Void, any Error>

    private struct Waiter {
        var number: Int
        var isMet: @Sendable (inout Value) -> Bool
        var continuation: Continuation
    }

    private struct State {
        var value: Value
        var waiters: [Waiter] = []
        var latest = 0

        /// Removes the waiters whose condition is met, in order of arrival.
        mutating func takeMet() -> [Continuation] {
            let all = waiters
            waiters = []
            var met: [Continuation] = []
            for waiter in all {
                if waiter.isMet(&value) { met.append(waiter.continuation) } else { waiters.append(waiter) }
            }
            return met
        }
    }

    private let state: Mutex<State>

    /// Creates a value without waiters.
    package init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// Reads or changes the value, then wakes waiters whose condition is met.
    package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, met) = state.withLock { state in
            let result = body(&state.value)
            return (result, state.takeMet())
        }
        for continuation in met { continuation.resume() }
        return result
    }

    /// Returns as soon as `isMet` returns true; it may also take something out of the value.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func wait(until isMet: @escaping @Sendable (inout Value) -> Bool) async throws {
        let number = state.withLock { state in
            state.latest += 1
            return state.latest
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Continuation) in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if isMet(&state.value) { return .success(()) }
                    // Checked under the lock: the cancellation handler below may have run before there was a
                    // waiter.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters.append(Waiter(number: number, isMet: isMet, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}
