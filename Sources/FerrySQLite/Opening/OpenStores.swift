import Dispatch
import FerryCore
import Synchronization

/// The stores that this process has open, by the identity of their database file.
///
/// While a store is open, no other descriptor of its database may be opened and closed. That would drop the
/// POSIX locks that other processes rely on to see SQLite's connections in this process. One serial queue
/// therefore runs every opening and closing.
enum OpenStores {
    /// Opens and closes stores. Blocking is allowed on it.
    static let queue = DispatchQueue(label: "ferry.store.opening")

    private static let counts = Mutex<[FileIdentity: Int]>([:])

    /// Whether this process has that database open.
    static func contains(_ identity: FileIdentity) -> Bool {
        counts.withLock { $0[identity] != nil }
    }

    /// Records that a store was opened.
    static func insert(_ identity: FileIdentity) {
        counts.withLock { $0[identity, default: 0] += 1 }
    }

    /// Records that a store was closed.
    static func remove(_ identity: FileIdentity) {
        counts.withLock { counts in
            let rest = (counts[identity] ?? 0) - 1
            counts[identity] = rest > 0 ? rest : nil
        }
    }
}
