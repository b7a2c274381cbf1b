import FerryCore
import Foundation
import GRDB
import GRDBSQLite

/// Checks whether a database file is a store that this Ferry can use, without changing a byte.
///
/// Only called while no connection of this process has the file open; see ``StoreFileStatus``.
struct StoreInspection {
    /// The files of the store.
    let files: StoreFiles

    private static let magic = Array("SQLite format 3\0".utf8)

    /// The length of the header of SQLite's log, in bytes.
    private static let logHeaderLength = 32

    /// Checks the store, under the write lock.
    ///
    /// If the database is whole without a log, the check of its tables is left to ``StoreConnections``: the writing connection
    /// makes it before it changes anything, and leaves nothing when it is closed. That saves a connection.
    func inspect() throws(StoreError) {
        let usesLog = try inspectHeader()
        if usesLog, try isAlone() { return }
        try inspectSchema()
    }

    /// Checks only the header. This needs no lock: the fields it reads never change in a store.
    ///
    /// - Returns: whether SQLite uses a write-ahead log for the database. Only another program turns that off.
    @discardableResult
    func inspectHeader() throws(StoreError) -> Bool {
        let header = try readHeader()
        // A store gets its name only when it is complete, so another program has emptied this one.
        guard !header.isEmpty else { throw .corrupt(path: files.database, "it is empty") }
        guard header.starts(with: Self.magic) else { throw .foreign(path: files.database) }
        guard header.count == 100 else {
            throw .corrupt(path: files.database, "it ends within its header")
        }
        let number = header[68..<72].reduce(Int32(0)) { $0 << 8 | Int32($1) }
        guard number == StoreSchema.applicationID else { throw .foreign(path: files.database) }
        return header[18..<20].allSatisfy { $0 == 2 }
    }

    /// Whether nothing is beside the database that a connection could apply to it.
    private func isAlone() throws(StoreError) -> Bool {
        for path in [files.log, files.logIndex, files.journal] where try StoreFileStatus(path: path) != nil {
            return false
        }
        return true
    }

    /// Checks the schema.
    ///
    /// This needs an SQLite that reads URIs, as nearly every system's does. Without one, the opening refuses
    /// a newer store too, but only after SQLite has tidied up its log.
    private func inspectSchema() throws(StoreError) {
        guard canReadURIs else { return }
        let logLength = try StoreFileStatus(path: files.log)?.length ?? 0
        // A process that dies between its first two writes to a log leaves only a header. An SQLite writer
        // starts such a log afresh. A read-only connection compares it with an index that it cannot build,
        // and fails ("locking protocol").
        if logLength <= Self.logHeaderLength {
            // The database file is complete, so it can be read as immutable: without locks and without
            // creating the log.
            try look("immutable=1")
        } else if try StoreFileStatus(path: files.logIndex) != nil {
            try look("mode=ro&readonly_shm=1")
        } else {
            try lookWithIndexOfOurs()
        }
    }

    /// When SQLite may not write the index of a log, it reads the log only if an index exists. An empty one
    /// is enough: SQLite then builds its own in memory.
    private func lookWithIndexOfOurs() throws(StoreError) {
        let file = open(files.logIndex, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if file < 0 { throw StoreError(systemCall: errno, on: files.logIndex) }
        _ = close(file)
        defer { _ = unlink(files.logIndex) }
        try look("mode=ro&readonly_shm=1")
    }

    private func look(_ parameters: String) throws(StoreError) {
        do {
            let connection = try DatabaseQueue(
                path: "\(files.databaseURI)?\(parameters)",
                configuration: StoreConnections.reading
            )
            _ = try connection.read { try StoreSchema.requireUsable($0, path: files.database) }
            try connection.close()
        } catch {
            throw StoreError(error, path: files.database, isWriting: false)
        }
    }

    /// Whether SQLite takes a path as a URI. A build that does not report its options says no.
    private var canReadURIs: Bool { sqlite3_compileoption_used("USE_URI") != 0 }

    private func readHeader() throws(StoreError) -> [UInt8] {
        let file = open(files.database, O_RDONLY | O_CLOEXEC)
        if file < 0 { throw StoreError(systemCall: errno, on: files.database) }
        defer { _ = close(file) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = pread(file, &header, header.count, 0)
        if count < 0 { throw StoreError(systemCall: errno, on: files.database) }
        return Array(header.prefix(count))
    }
}

extension StoreFiles {
    /// The path of the database as an SQLite URI.
    fileprivate var databaseURI: String {
        var text = "file:"
        for byte in database.utf8 {
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x2F, 0x5F].contains(byte)
            if isPlain {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                text += hex.count == 1 ? "%0\(hex)" : "%\(hex)"
            }
        }
        return text
    }
}
