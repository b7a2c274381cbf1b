import FerryCore
import Synchronization

/// An exchange that the ``NetworkWatch`` watches. It knows its present peer, which a redirect changes, and can be cut.
final class WatchedExchange: Sendable {
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
        /// Runs the exchange.
        var task: Task<Void, Never>?
    }

    /// The exchange's number, in the order in which exchanges began.
    let number: Int
    /// Whether what the exchange carries may be sent again on another connection. A request that may not be repeated
    /// waits for its answer, which may have arrived while the process stood still.
    let isReplaceable: Bool
    private let watch: NetworkWatch
    private let state = Mutex(State())

    init(number: Int, isReplaceable: Bool, watch: NetworkWatch) {
        self.number = number
        self.isReplaceable = isReplaceable
        self.watch = watch
    }

    /// The peer of the latest connection.
    var host: String? { state.withLock { $0.host } }

    /// Why the exchange was cut; `nil` if it ended by itself.
    var cut: Cut? { state.withLock { $0.cut } }

    /// Why the exchange has failed: why it was cut or, if it ended by itself, the problem that it met.
    func loss(meeting problem: Problem) -> Problem {
        switch cut {
        case nil: problem
        case .ordered?: .exchangeCut
        case .lost(let problem)?: problem
        }
    }

    /// Notes the task that runs the exchange, and is cancelled when it is cut. It may be over already.
    func note(_ task: Task<Void, Never>) {
        let isCut = state.withLock { state in
            guard !state.isOver else { return false }
            state.task = task
            return state.cut != nil
        }
        if isCut { task.cancel() }
    }

    /// Runs the exchange in the present task. Once it has ended, it cannot be cut any more.
    func run<Result>(_ exchange: () async -> Result) async -> Result {
        let result = await exchange()
        state.withLock { state in
            state.isOver = true
            state.task = nil
        }
        watch.forget(self)
        return result
    }

    /// Cuts the exchange, unless it is over. The first reason counts.
    func cut(_ reason: Cut) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard !state.isOver, state.cut == nil else { return nil }
            state.cut = reason
            return state.task
        }
        task?.cancel()
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

extension Problem {
    /// The exchange was cut by its attempt.
    static var exchangeCut: Problem { .transient(.connectionLost, "The exchange was cut.") }
}
