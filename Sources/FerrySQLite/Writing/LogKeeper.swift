import FerryCore
import GRDB
import Synchronization

/// Keeps SQLite's write-ahead log from growing without bound.
///
/// SQLite would checkpoint by itself after a commit, but when the last reader leaves, that happens outside
/// the write lock. So its automatic checkpoint is off, and this type requests it.
final class LogKeeper: Sendable {
    /// The length at which the log is copied into the database, in bytes.
    ///
    /// Each copy waits for the disk several times, and no process writes meanwhile. A longer log makes copies rarer,
    /// but takes longer to read when a process has died and the next one opens the store.
    static let bound: Int64 = 32 << 20

    private let path: String
    private let next = Mutex(LogKeeper.bound)

    /// Creates a keeper of the log at `path`.
    init(path: String) {
        self.path = path
    }

    /// Whether the log is long enough to be copied into the database now; returns `true` once. Called under
    /// the write lock.
    func becomesDue() -> Bool {
        let length: Int64?
        do {
            length = try StoreFileStatus(path: path)?.length
        } catch {
            // The next writer meets and reports the problem with the directory.
            return false
        }
        guard let length else { return false }
        return next.withLock { next in
            if length < Self.bound { next = Self.bound }
            guard length >= next else { return false }
            // A reader of an old state can keep the log from being emptied. The next request then comes after
            // another ``bound`` bytes, not at every commit.
            next = length + Self.bound
            return true
        }
    }

    /// Copies the log into the database. Called under the write lock, outside a transaction.
    func shorten(_ db: Database, observe: (StoreEvent) -> Void) {
        do {
            observe(.checkpointed(isTruncated: try checkpoint(db)))
        } catch {
            // Nothing is lost: the log holds the commits, and the next commit that is due tries again. The
            // next writer reports a disk that fails permanently.
            return
        }
    }

    private func checkpoint(_ db: Database) throws -> Bool {
        let passive = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(PASSIVE)")
        guard let passive, try passive.decode(Int.self, atIndex: 1) == passive.decode(Int.self, atIndex: 2)
        else {
            return false
        }
        // Everything is copied, so emptying the log costs nothing unless a reader still uses it. Writers do
        // not wait for that reader.
        try db.execute(sql: "PRAGMA busy_timeout = 0")
        defer { restoreBusyTimeout(db) }
        let truncate = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        return try truncate?.decode(Int.self, atIndex: 0) == 0
    }

    private func restoreBusyTimeout(_ db: Database) {
        do {
            try db.execute(sql: "PRAGMA busy_timeout = \(StoreConnections.busyTimeoutMilliseconds)")
        } catch {
            // Without the timeout, another program's lock is reported at once instead of after a while.
            return
        }
    }
}
