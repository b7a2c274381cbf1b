import Dispatch
import FerryCore
import Synchronization

/// The stores that this process has open, by the identity of their database file.
///
/// While one is open, no other descriptor of its database may be opened and closed: that would drop the POSIX
/// locks by which SQLite's connections in this process are known to others. Opening and closing therefore
/// happen one after the other, on one queue.
enum OpenStores {
    /// Where stores are opened and closed; blocking is allowed on it.
    static let queue = DispatchQueue(label: "ferry.store.opening")

    private static let counts = Mutex<[FileIdentity: Int]>([:])

    /// Whether this process has that database open.
    static func contains(_ identity: FileIdentity) -> Bool {
        counts.withLock { $0[identity] != nil }
    }

    /// Notes that a store was opened.
    static func insert(_ identity: FileIdentity) {
        counts.withLock { $0[identity, default: 0] += 1 }
    }

    /// Notes that a store was closed.
    static func remove(_ identity: FileIdentity) {
        counts.withLock { counts in
            let rest = (counts[identity] ?? 0) - 1
            counts[identity] = rest > 0 ? rest : nil
        }
    }
}
