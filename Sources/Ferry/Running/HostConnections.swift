import FerryCore
import Synchronization

/// How many connections are open to each server, over all transfers of an engine.
///
/// The first connection of a transfer is always granted, as slots bound those; further ones only below the cap, or, where
/// nobody set one, below the usual number and what their own transfer asks for; and only as long as all servers together
/// have fewer than the process has descriptors for.
final class HostConnections: Sendable {
    private struct State {
        var cap: Int?
        var open: [Origin: Int] = [:]
        /// How many are open to all servers.
        var all = 0

        mutating func take(_ server: Origin) {
            open[server, default: 0] += 1
            all += 1
        }
    }

    private let most: Int

    private let state: Mutex<State>

    /// - Parameter most: how many may be open to all servers before a further one is opened.
    init(cap: Int?, most: Int = .max) {
        self.most = most
        state = Mutex(State(cap: cap))
    }

    /// Changes the cap. Connections that are open already stay.
    func setCap(_ cap: Int?) {
        state.withLock { $0.cap = cap }
    }

    /// Takes one connection, whatever there is.
    func take(_ server: Origin) {
        state.withLock { $0.take(server) }
    }

    /// Takes one more connection, if the server has one to spare, for a transfer that asks for so many.
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
