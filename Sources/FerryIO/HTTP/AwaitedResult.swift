internal import Synchronization

/// A value that is set once and awaited by one task: a bridge from event loops and threads to structured
/// code.
///
/// The first resolution counts; later ones are ignored. So code may fail an exchange that has already ended.
final class AwaitedResult<Value: Sendable>: Sendable {
    private enum State {
        /// Not resolved. Exits: `awaited`, `resolved`.
        case open
        /// A task is suspended. Exits: `resolved`.
        case awaited(CheckedContinuation<Value, any Error>)
        /// Final.
        case resolved(Result<Value, any Error>)
    }

    private let state = Mutex(State.open)

    /// Resolves the result, unless it is already resolved.
    func resolve(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .open:
                state = .resolved(result)
                return nil
            case .awaited(let waiter):
                state = .resolved(result)
                return waiter
            case .resolved:
                return nil
            }
        }
        waiter?.resume(with: result)
    }

    private var result: Result<Value, any Error>? {
        state.withLock { state in
            if case .resolved(let result) = state { result } else { nil }
        }
    }

    /// Waits for the result. Cancellation does not end the wait: the code that can cancel the work resolves
    /// it.
    func value() async throws -> Value {
        // At the end of an exchange it is mostly resolved already.
        if let result { return try result.get() }
        return try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Value, any Error>? in
                switch state {
                case .open:
                    state = .awaited(continuation)
                    return nil
                case .awaited:
                    preconditionFailure("a result is awaited by one task")
                case .resolved(let result):
                    return result
                }
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
