internal import Synchronization

/// Where bodies wait until a test lets them go on.
final class StallGate: Sendable {
    private struct State {
        var latest = 0
        var stalled: [Int: CheckedContinuation<Void, any Error>] = [:]
        var unseen = 0
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits for ``release()``.
    func wait() async throws {
        let number = state.withLock { state in
            state.latest += 1
            return state.latest
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let (isCancelled, watcher) = state.withLock {
                    state -> (Bool, CheckedContinuation<Void, Never>?) in
                    // Looked at under the lock: the handler below may have run before there was anything to end.
                    guard !Task.isCancelled else { return (true, nil) }
                    state.stalled[number] = continuation
                    guard !state.watchers.isEmpty else {
                        state.unseen += 1
                        return (false, nil)
                    }
                    return (false, state.watchers.removeFirst())
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                watcher?.resume()
            }
        } onCancel: {
            state.withLock { $0.stalled.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }

    /// Lets all that wait go on.
    func release() {
        let all = state.withLock { state in
            defer { state.stalled = [:] }
            return state.stalled
        }
        for (_, continuation) in all.sorted(by: { $0.key < $1.key }) { continuation.resume() }
    }

    /// Returns when something waits.
    func nextStall() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.unseen > 0 {
                    state.unseen -= 1
                    return true
                }
                state.watchers.append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
