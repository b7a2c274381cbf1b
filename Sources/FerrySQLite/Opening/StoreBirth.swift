import FerryCore
import Foundation
import GRDB

/// Creates a new store, which gets its name only when it is complete.
///
/// A database created in place would briefly be a file that is not yet Ferry's. A crash at that moment would
/// leave a file that the next Ferry has to refuse.
struct StoreBirth {
    /// The files of the store.
    let files: StoreFiles

    /// Creates the store. Called under the write lock, when the database is missing.
    func create() throws(StoreError) {
        if let log = try StoreFileStatus(path: files.log), log.length > 0 {
            // SQLite would take this log for the log of the new database.
            throw .corrupt(path: files.database, "the database is missing but its log is not")
        }
        try removeLeftovers(["", "-journal", "-wal", "-shm"])
        try createFile()
        do {
            try build()
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(error, path: files.database, isWriting: true)
        }
        // SQLite removes these when it closes, but does not report a failure to do so.
        try removeLeftovers(["-journal", "-wal", "-shm"])
        if rename(files.newborn, files.database) != 0 {
            throw StoreError(systemCall: errno, on: files.database)
        }
        try files.synchronizeDirectory()
        try files.synchronizePath()
    }

    /// Removes the leftovers of a creation that was interrupted.
    private func removeLeftovers(_ suffixes: [String]) throws(StoreError) {
        for suffix in suffixes {
            let path = files.newborn + suffix
            if unlink(path) != 0, errno != ENOENT { throw StoreError(systemCall: errno, on: path) }
        }
    }

    /// Creates the file for its user only. SQLite gives the log and its index the mode of the database.
    private func createFile() throws(StoreError) {
        let file = open(files.newborn, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if file < 0 { throw StoreError(systemCall: errno, on: files.newborn) }
        defer { _ = close(file) }
        if fchmod(file, 0o600) != 0 { throw StoreError(systemCall: errno, on: files.newborn) }
    }

    private func build() throws {
        let connection = try DatabaseQueue(path: files.newborn, configuration: StoreConnections.writing)
        try connection.inDatabase { db in
            try db.execute(sql: "PRAGMA application_id = \(StoreSchema.applicationID)")
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
        }
        try StoreSchema.migrator.migrate(connection)
        let length = try connection.inDatabase { db in
            // The last close would do this too, but it reports no failure, such as a full disk.
            let isBusy = try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") != 0
            let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            let pageSize = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            return isBusy ? 0 : pages * pageSize
        }
        try connection.close()
        let log = try StoreFileStatus(path: files.newborn + "-wal")?.length ?? 0
        guard length > 0, log == 0, try StoreFileStatus(path: files.newborn)?.length == length else {
            throw StoreError.writeFailed(
                path: files.database,
                "the new database was not written whole",
                isDiskFull: false
            )
        }
    }
}
