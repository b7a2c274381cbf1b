import Synchronization

/// The exchanges that are under way for one attempt, or for one run of fetches. Each is one task, which ends before
/// ``ending(_:)`` returns.
///
/// They are not children of a task group, because a cut cancels one of them alone.
final class OpenExchanges: Sendable {
    private struct State {
        /// In the order in which they began.
        var tasks: [(number: Int, task: Task<Void, Never>)] = []
        var isCancelled = false
    }

    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    /// - Parameter executor: runs the exchanges; `nil` for the global pool.
    init(executor: (any TaskExecutor)?) {
        self.executor = executor
    }

    /// Begins an exchange. Its task is cancelled when it is cut, and with the others.
    ///
    /// - Parameter exchange: runs it, and reports its end by itself.
    func begin(_ watched: WatchedExchange, _ exchange: @escaping @Sendable () async -> Void) {
        let (task, isCancelled) = state.withLock { state in
            // It needs the lock to end, and so cannot end before it is noted.
            let task = Task(executorPreference: executor) {
                await exchange()
                self.forget(watched.number)
            }
            state.tasks.append((watched.number, task))
            return (task, state.isCancelled)
        }
        watched.note(task)
        if isCancelled { task.cancel() }
    }

    /// Runs `body`. Afterwards, or when the present task is cancelled, cancels all exchanges; returns when they have ended.
    func ending<Result>(_ body: () async -> Result) async -> Result {
        let result = await withTaskCancellationHandler(operation: body, onCancel: cancelAll)
        cancelAll()
        while let task = state.withLock({ $0.tasks.first?.task }) { await task.value }
        return result
    }

    private func forget(_ number: Int) {
        state.withLock { state in state.tasks.removeAll { $0.number == number } }
    }

    private func cancelAll() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.tasks
        }
        for (_, task) in tasks { task.cancel() }
    }
}
