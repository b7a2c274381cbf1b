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
        /// When one connection more than was known to be served was last tried at each server.
        var probed: [Origin: Instant] = [:]

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

    /// Takes the right to try one connection more than a server was found to serve. It is given once in the time for which
    /// such a limit is believed.
    func takeProbe(of server: Origin, at now: Instant) -> Bool {
        state.withLock { state in
            // One in the future was taken while the clock was wrong.
            state.probed = state.probed.filter {
                ServerTraits.ConnectionLimit(1, found: $0.value).holds(at: now)
            }
            guard state.probed[server] == nil else { return false }
            state.probed[server] = now
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
