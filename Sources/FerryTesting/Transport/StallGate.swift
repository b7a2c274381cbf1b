internal import Synchronization

/// Holds bodies back until a test releases them.
final class StallGate: Sendable {
    private struct State {
        var latest = 0
        var stalled: [Int: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state = Mutex(State())
    /// The number of stalls that no test has asked about yet.
    private let unseen = Watched(0)

    /// The number of stalls that wait.
    var count: Int { state.withLock { $0.stalled.count } }

    /// Waits for ``release()``.
    func wait() async throws {
        let number = state.withLock { state in
            state.latest += 1
            return state.latest
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let isCancelled = state.withLock { state in
                    // Checked under the lock: the cancellation handler below may have run before there was
                    // anything to end.
                    if Task.isCancelled { return true }
                    state.stalled[number] = continuation
                    return false
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                unseen.withLock { $0 += 1 }
            }
        } onCancel: {
            state.withLock { $0.stalled.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }

    /// Releases all waiting bodies.
    func release() {
        let all = state.withLock { state in
            defer { state.stalled = [:] }
            return state.stalled
        }
        for (_, continuation) in all.sorted(by: { $0.key < $1.key }) { continuation.resume() }
    }

    /// Returns when something waits and no test has asked about it yet.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func nextStall() async throws {
        try await unseen.wait { unseen in
            guard unseen > 0 else { return false }
            unseen -= 1
            return true
        }
    }
}
