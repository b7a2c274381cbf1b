import FerryCore
import Foundation
import GRDB

/// Makes a new store, which gets its name only when it is whole.
///
/// A database that is made in place would be, for a moment, a file that is not yet Ferry's; a crash in that
/// moment would leave something that the next Ferry has to refuse.
struct StoreBirth {
    /// The files of the store.
    let files: StoreFiles

    /// Makes the store. Called under the write lock, when there is no database or an empty file in its place.
    func create() throws(StoreError) {
        if let log = try FileStatus(path: files.log), log.length > 0 {
            // SQLite would take this log for the new database's own.
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
        // SQLite removed these when it closed, but does not say so when it could not.
        try removeLeftovers(["-journal", "-wal", "-shm"])
        if rename(files.newborn, files.database) != 0 {
            throw StoreError(systemCall: errno, on: files.database)
        }
        try files.synchronizeDirectory()
        try files.synchronizePath()
    }

    /// Removes what a birth that was cut short has left.
    private func removeLeftovers(_ suffixes: [String]) throws(StoreError) {
        for suffix in suffixes {
            let path = files.newborn + suffix
            if unlink(path) != 0, errno != ENOENT { throw StoreError(systemCall: errno, on: path) }
        }
    }

    /// Creates the file for its user only; SQLite gives the log and its index the mode of the database.
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
            // The last close would do this too, but it says nothing when it fails, as on a disk that is full.
            let isBusy = try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") != 0
            let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            let pageSize = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            return isBusy ? 0 : pages * pageSize
        }
        try connection.close()
        let log = try FileStatus(path: files.newborn + "-wal")?.length ?? 0
        guard length > 0, log == 0, try FileStatus(path: files.newborn)?.length == length else {
            throw StoreError.writeFailed(
                path: files.database,
                "the new database was not written whole",
                isDiskFull: false
            )
        }
    }
}
