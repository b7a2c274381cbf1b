internal import Synchronization

/// Finds the exchange that a request on some connection belongs to.
///
/// AsyncHTTPClient carries nothing of ours from a request to its connection but header fields, so the number of
/// the exchange travels in one, as far as ``ConnectionGuard``.
final class ExchangeDirectory: Sendable {
    private struct State {
        var exchanges: [UInt64: Exchange] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Enters an exchange and returns its number.
    func enter(_ exchange: Exchange) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.exchanges[state.last] = exchange
            return state.last
        }
    }

    /// Removes the exchange with that number.
    func leave(_ number: UInt64) {
        state.withLock { $0.exchanges[number] = nil }
    }

    /// The exchange with that number, unless it is over.
    subscript(_ number: UInt64) -> Exchange? {
        state.withLock { $0.exchanges[number] }
    }
}
