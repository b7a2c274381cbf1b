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

    /// A store that is open twice is in it twice.
    private static let identities = Mutex<[FileIdentity]>([])

    /// Whether this process has that database open.
    static func contains(_ identity: FileIdentity) -> Bool {
        identities.withLock { $0.contains(identity) }
    }

    /// Records that a store was opened.
    static func insert(_ identity: FileIdentity) {
        identities.withLock { $0.append(identity) }
    }

    /// Records that a store was closed.
    static func remove(_ identity: FileIdentity) {
        identities.withLock { identities in
            if let index = identities.firstIndex(of: identity) { identities.remove(at: index) }
        }
    }
}
