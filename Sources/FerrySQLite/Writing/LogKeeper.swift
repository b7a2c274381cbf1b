import FerryCore
import GRDB
import Synchronization

/// Keeps SQLite's write-ahead log from growing without bound.
///
/// SQLite would do so by itself after a commit, but outside the write lock's protection when the last reader
/// leaves, so it is told not to and asked to here.
final class LogKeeper: Sendable {
    /// The length at which the log is copied into the database, in bytes.
    ///
    /// Each copy waits for the disk several times, and nobody writes meanwhile. A longer log makes them rare, and takes
    /// longer to be read when a process has died and the next one opens the store.
    static let bound: Int64 = 32 << 20

    private let path: String
    private let next = Mutex(LogKeeper.bound)

    /// Creates a keeper of the log at `path`.
    init(path: String) {
        self.path = path
    }

    /// Whether the log has grown so much that it is to be copied into the database now; says so once. Called under the
    /// write lock.
    func becomesDue() -> Bool {
        let length: Int64?
        do {
            length = try FileStatus(path: path)?.length
        } catch {
            // Whoever writes next is told of what is wrong with the directory.
            return false
        }
        guard let length else { return false }
        return next.withLock { next in
            if length < Self.bound { next = Self.bound }
            guard length >= next else { return false }
            // A reader of an old state can keep the log from being emptied. It is not asked again at every
            // commit then, but when as much has come on top.
            next = length + Self.bound
            return true
        }
    }

    /// Copies the log into the database. Called under the write lock, outside a transaction.
    func shorten(_ db: Database, observe: (StoreEvent) -> Void) {
        do {
            observe(.checkpointed(isTruncated: try checkpoint(db)))
        } catch {
            // Nothing is lost: the log holds what was committed, and the next commit that is due tries again.
            // A disk that fails for good is told to whoever writes next.
            return
        }
    }

    private func checkpoint(_ db: Database) throws -> Bool {
        let passive = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(PASSIVE)")
        guard let passive, try passive.decode(Int.self, atIndex: 1) == passive.decode(Int.self, atIndex: 2)
        else {
            return false
        }
        // Everything is copied, so emptying the log costs nothing unless a reader still looks at it; for that
        // one the writers do not wait.
        try db.execute(sql: "PRAGMA busy_timeout = 0")
        defer { restoreBusyTimeout(db) }
        let truncate = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        return try truncate?.decode(Int.self, atIndex: 0) == 0
    }

    private func restoreBusyTimeout(_ db: Database) {
        do {
            try db.execute(sql: "PRAGMA busy_timeout = \(StoreConnections.busyTimeoutMilliseconds)")
        } catch {
            // Without it a foreign program's lock is told at once rather than after a while.
            return
        }
    }
}
