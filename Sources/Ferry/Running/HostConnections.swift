import FerryCore
import Synchronization

/// How many connections are open to each server, over all transfers of an engine.
///
/// The first connection of a transfer is always granted, as slots bound those; further ones only below the cap.
final class HostConnections: Sendable {
    private let cap: Int
    private let open = Mutex<[Origin: Int]>([:])

    init(cap: Int) {
        self.cap = cap
    }

    /// Takes one connection, whatever there is.
    func take(_ server: Origin) {
        open.withLock { $0[server, default: 0] += 1 }
    }

    /// Takes one more connection, if the server has one to spare.
    func takeSpare(_ server: Origin) -> Bool {
        open.withLock { open in
            guard open[server, default: 0] < cap else { return false }
            open[server, default: 0] += 1
            return true
        }
    }

    /// Gives one connection back.
    func giveBack(_ server: Origin) {
        open.withLock { open in
            let left = (open[server] ?? 0) - 1
            open[server] = left > 0 ? left : nil
        }
    }
}
