import FerryCore
import Foundation
import GRDB

/// The steps that open a store. They run on ``OpenStores/queue``.
struct StoreOpening {
    /// The files of the store.
    let files: StoreFiles
    /// Whether the store is only read. Then nothing is created, and a store that cannot be written is read
    /// from a copy.
    let toRead: Bool
    /// Called when another process has the write lock.
    let observe: @Sendable (StoreEvent) -> Void

    /// The parts of an open store.
    struct Parts {
        /// The connections.
        let connections: StoreConnections
        /// The write lock.
        let lock: StoreLock
        /// Whether the parts belong to a copy, because the store itself may only be read.
        var isSnapshot = false
    }

    /// Opens the store. A missing store is created, or shown as empty to a caller that only reads.
    func open() throws(StoreError) -> Parts {
        if toRead, try isAbsent() { return try open(StoreSnapshot.empty()) }
        try files.createDirectory()
        if let snapshot = try StoreSnapshot.take(of: files) { return try open(snapshot) }
        do throws(StoreError) {
            return try openInPlace()
        } catch {
            // SQLite needs space for the index of its log, even to read.
            guard toRead, case .writeFailed(_, _, isDiskFull: true) = error,
                let snapshot = try StoreSnapshot.take(of: files, evenIfWritable: true)
            else { throw error }
            return try open(snapshot)
        }
    }

    private func openInPlace() throws(StoreError) -> Parts {
        // Check first, before adding any file: a directory that is not Ferry's stays as it is.
        if let status = try database(), !OpenStores.contains(status.identity) {
            try StoreInspection(files: files).inspectHeader()
        }
        let lock = try WriteLock(path: files.lock)
        try lock.lock { observe(.waitingForLock) }
        defer { lock.unlock() }
        do {
            return try open(under: lock)
        } catch {
            if lock.wasCreated { lock.removeFile() }
            throw error
        }
    }

    private func open(_ snapshot: StoreSnapshot) throws(StoreError) -> Parts {
        // The connections keep the removed files open.
        defer { snapshot.remove() }
        do {
            let connections = try StoreConnections(snapshot.files)
            guard let identity = try StoreFileStatus(path: snapshot.files.database)?.identity else {
                throw StoreError.unavailable(path: files.database, "its copy was removed")
            }
            let lock = StoreLock(
                lock: try WriteLock(path: snapshot.files.lock),
                identity: identity,
                files: snapshot.files
            )
            OpenStores.insert(identity)
            return Parts(connections: connections, lock: lock, isSnapshot: true)
        } catch {
            throw StoreError(error, path: files.database, isWriting: false).of(files.database)
        }
    }

    private func open(under lock: WriteLock) throws(StoreError) -> Parts {
        if let status = try database() {
            if !OpenStores.contains(status.identity) { try StoreInspection(files: files).inspect() }
        } else {
            try StoreBirth(files: files).create()
        }
        guard let identity = try StoreFileStatus(path: files.database)?.identity else {
            throw .unavailable(path: files.database, "it was removed while it was being opened")
        }
        do {
            let connections = try StoreConnections(files)
            OpenStores.insert(identity)
            return Parts(
                connections: connections,
                lock: StoreLock(lock: lock, identity: identity, files: files)
            )
        } catch {
            throw StoreError(error, path: files.database, isWriting: true)
        }
    }

    /// Whether no store exists that could be read.
    private func isAbsent() throws(StoreError) -> Bool {
        if let directory = try StoreFileStatus(path: files.directory), !directory.isDirectory { return false }
        if try database() != nil { return false }
        // A log without its database is damage.
        return try StoreFileStatus(path: files.log)?.length ?? 0 == 0
    }

    /// The database file; `nil` when it is missing.
    private func database() throws(StoreError) -> StoreFileStatus? {
        guard let status = try StoreFileStatus(path: files.database) else { return nil }
        guard status.isRegular else { throw .foreign(path: files.database) }
        return status
    }
}
