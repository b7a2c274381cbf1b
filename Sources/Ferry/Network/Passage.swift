import FerryCore
import Synchronization

/// One exchange's way through the network. It knows the present peer, which a redirect changes, and can be cut.
final class Passage: Sendable {
    /// Why an exchange was cut.
    enum Cut: Hashable, Sendable {
        /// Its attempt has ordered it.
        case ordered
        /// The route or the connection is gone.
        case lost(Problem)
    }

    private struct State {
        var host: String?
        var cut: Cut?
        var isOver = false
        /// Cancels the exchange while it runs.
        var cancel: (@Sendable () -> Void)?
    }

    /// The exchange's number, in the order in which exchanges began.
    let number: Int
    /// Whether what the exchange carries may be sent again on another connection. A request that may not be repeated
    /// waits for its answer, which may have arrived while the process stood still.
    let isReplaceable: Bool
    private let watch: NetworkWatch
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    init(number: Int, isReplaceable: Bool, watch: NetworkWatch, executor: (any TaskExecutor)?) {
        self.number = number
        self.isReplaceable = isReplaceable
        self.watch = watch
        self.executor = executor
    }

    /// The peer of the latest connection.
    var host: String? { state.withLock { $0.host } }

    /// Why the exchange was cut; `nil` if it ended by itself.
    var cut: Cut? { state.withLock { $0.cut } }

    /// Runs the exchange, which is cancelled when it is cut. Returns after it has ended.
    func run<Result: Sendable>(_ exchange: @escaping @Sendable () async -> Result) async -> Result {
        // A child task could not be cancelled alone.
        let task = Task(executorPreference: executor) { await exchange() }
        let isCut = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.cut != nil
        }
        if isCut { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { state in
            state.isOver = true
            state.cancel = nil
        }
        watch.forget(self)
        return result
    }

    /// Cuts the exchange, unless it is over. The first reason counts.
    func cut(_ reason: Cut) {
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isOver, state.cut == nil else { return nil }
            state.cut = reason
            return state.cancel
        }
        cancel?()
    }

    /// Runs one request of the exchange, to this peer. If the route is not known yet, it is looked up meanwhile.
    func request<Result: Sendable>(
        to host: String,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        state.withLock { $0.host = host }
        guard let lookUp = watch.note(self, headsTo: host) else { return try await body() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: lookUp)
            defer { group.cancelAll() }
            return try await body()
        }
    }
}
