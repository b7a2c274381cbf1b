import FerryCore
import Synchronization

/// How many connections are open to each server, over all transfers of an engine.
///
/// The first connection of a transfer is always granted, as slots bound those; further ones only below the cap, or, where
/// nobody set one, below the usual number and what their own transfer asks for.
final class HostConnections: Sendable {
    private struct State {
        var cap: Int?
        var open: [Origin: Int] = [:]
    }

    private let state: Mutex<State>

    init(cap: Int?) {
        state = Mutex(State(cap: cap))
    }

    /// Changes the cap. Connections that are open already stay.
    func setCap(_ cap: Int?) {
        state.withLock { $0.cap = cap }
    }

    /// Takes one connection, whatever there is.
    func take(_ server: Origin) {
        state.withLock { $0.open[server, default: 0] += 1 }
    }

    /// Takes one more connection, if the server has one to spare, for a transfer that asks for so many.
    func takeSpare(_ server: Origin, asking wanted: Int?) -> Bool {
        state.withLock { state in
            let cap = state.cap ?? max(EngineConfiguration.usualConnectionsPerHost, wanted ?? 0)
            guard state.open[server, default: 0] < cap else { return false }
            state.open[server, default: 0] += 1
            return true
        }
    }

    /// Gives one connection back.
    func giveBack(_ server: Origin) {
        state.withLock { state in
            let left = (state.open[server] ?? 0) - 1
            state.open[server] = left > 0 ? left : nil
        }
    }
}
