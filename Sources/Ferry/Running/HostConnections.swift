import FerryCore
import Synchronization

/// Counts the connections to each server, over all transfers of an engine.
///
/// The first connection of a transfer is always granted, because slots bound those. Further ones are granted only
/// below the cap; without a cap, below the default or what their transfer asks for, whichever is more. In addition,
/// all servers together must have fewer than the process has descriptors for.
final class HostConnections: Sendable {
    private struct State {
        var cap: Int?
        var open: [Origin: Int] = [:]
        /// Number of connections to all servers.
        var all = 0

        mutating func take(_ server: Origin) {
            open[server, default: 0] += 1
            all += 1
        }
    }

    private let most: Int

    private let state: Mutex<State>

    /// - Parameter most: maximum connections to all servers together before further ones are refused.
    init(cap: Int?, most: Int = .max) {
        self.most = most
        state = Mutex(State(cap: cap))
    }

    /// Changes the cap. Open connections stay.
    func setCap(_ cap: Int?) {
        state.withLock { $0.cap = cap }
    }

    /// Takes one connection, without a check.
    func take(_ server: Origin) {
        state.withLock { $0.take(server) }
    }

    /// Takes one further connection below the cap, for a transfer that asks for `wanted` connections.
    func takeSpare(_ server: Origin, asking wanted: Int?) -> Bool {
        state.withLock { state in
            let cap = state.cap ?? max(EngineConfiguration.usualConnectionsPerHost, wanted ?? 0)
            guard state.all < most, state.open[server, default: 0] < cap else { return false }
            state.take(server)
            return true
        }
    }

    /// Gives one connection back.
    func giveBack(_ server: Origin) {
        state.withLock { state in
            guard let count = state.open[server] else { return }
            state.all -= 1
            let left = count - 1
            state.open[server] = left > 0 ? left : nil
        }
    }
}
