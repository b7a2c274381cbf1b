internal import Synchronization

/// Runs every task of a simulation on one thread, in an order drawn from the seed.
///
/// All tasks of an engine run on the executor given by its seams; child tasks and the actors that they call
/// inherit it. So the runtime hands every job to ``enqueue(_:)``, and nothing of the engine runs in parallel.
/// This needs no hook into the runtime, applies to one simulation only, and works within a test.
final class SimulatedExecutor: TaskExecutor {
    private struct State {
        var ready: [UnownedJob] = []
        var paused: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.ready.append(job) }
    }

    /// Lets other ready tasks run first, or not, as drawn.
    func pause() async {
        await withUnsafeContinuation { continuation in
            state.withLock { $0.paused.append(continuation) }
        }
    }

    /// Runs one task up to its next suspension.
    ///
    /// - Returns: whether a task was ready.
    func runOne(_ dice: SimulationDice) -> Bool {
        let paused = state.withLock { state in
            defer { state.paused = [] }
            return state.paused
        }
        for continuation in paused { continuation.resume() }
        let count = state.withLock { $0.ready.count }
        guard count > 0 else { return false }
        let index = dice.number(in: 0..<count)
        let job = state.withLock { $0.ready.remove(at: index) }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}
