internal import Synchronization

/// The running exchanges.
///
/// AsyncHTTPClient carries nothing from a request to its connection but header fields. So the number of the
/// exchange travels in a field up to ``ConnectionGuard``, which finds the exchange here. And what the
/// exchanges depend on may only be shut down after the last of them has left.
final class ExchangeDirectory: Sendable {
    private struct State {
        var exchanges: [UInt64: Exchange] = [:]
        var last: UInt64 = 0
        var isClosed = false
        /// Called when the last exchange has left.
        var onEmpty: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Enters an exchange and returns its number.
    ///
    /// - Throws: `CancellationError` when the directory is closed.
    func enter(_ exchange: Exchange) throws -> UInt64 {
        try state.withLock { state in
            if state.isClosed { throw CancellationError() }
            state.last += 1
            state.exchanges[state.last] = exchange
            return state.last
        }
    }

    /// Removes the exchange with that number.
    func leave(_ number: UInt64) {
        let callback = state.withLock { state -> (@Sendable () -> Void)? in
            state.exchanges[number] = nil
            guard state.isClosed, state.exchanges.isEmpty else { return nil }
            defer { state.onEmpty = nil }
            return state.onEmpty
        }
        callback?()
    }

    /// The exchange with that number, unless it is over.
    subscript(_ number: UInt64) -> Exchange? {
        state.withLock { $0.exchanges[number] }
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
