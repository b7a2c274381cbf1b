internal import Synchronization

/// The running exchanges. Shut down what they depend on only after the last has left.
final class ExchangeDirectory: Sendable {
    private struct State {
        var exchanges: [ObjectIdentifier: Exchange] = [:]
        var isClosed = false
        /// Called when the last exchange has left.
        var onEmpty: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Whether only one exchange is running.
    var hasOnlyOne: Bool { state.withLock { $0.exchanges.count == 1 } }

    /// Enters an exchange.
    ///
    /// - Throws: `CancellationError` when the directory is closed.
    func enter(_ exchange: Exchange) throws {
        try state.withLock { state in
            if state.isClosed { throw CancellationError() }
            state.exchanges[ObjectIdentifier(exchange)] = exchange
        }
    }

    /// Removes an exchange.
    func leave(_ exchange: Exchange) {
        let callback = state.withLock { state -> (@Sendable () -> Void)? in
            state.exchanges[ObjectIdentifier(exchange)] = nil
            guard state.isClosed, state.exchanges.isEmpty else { return nil }
            defer { state.onEmpty = nil }
            return state.onEmpty
        }
        callback?()
    }

    /// Refuses further exchanges and cancels those that are running.
    ///
    /// - Parameter onEmpty: called once, when the last has left.
    /// - Returns: whether this is the first closing; otherwise `onEmpty` is not called.
    func close(_ onEmpty: @escaping @Sendable () -> Void) -> Bool {
        let (isFirst, exchanges) = state.withLock { state -> (Bool, [Exchange]) in
            if state.isClosed { return (false, []) }
            state.isClosed = true
            if !state.exchanges.isEmpty { state.onEmpty = onEmpty }
            return (true, Array(state.exchanges.values))
        }
        for exchange in exchanges { exchange.fail(CancellationError()) }
        if isFirst, exchanges.isEmpty { onEmpty() }
        return isFirst
    }
}
