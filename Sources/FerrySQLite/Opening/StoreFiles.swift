import FerryCore
import Foundation

/// The files of one store, by their paths.
struct StoreFiles: Hashable, Sendable {
    /// The data directory, as the caller named it.
    let directory: String

    /// The database.
    var database: String { path("ferry.sqlite") }
    /// SQLite's write-ahead log.
    var log: String { database + "-wal" }
    /// SQLite's index of that log, shared by the processes.
    var logIndex: String { database + "-shm" }
    /// SQLite's rollback journal. Only another program makes one.
    var journal: String { database + "-journal" }
    /// The lock file by which writers take turns.
    var lock: String { path("ferry.lock") }
    /// A new database until it is complete; one rename then gives it its name.
    var newborn: String { path("ferry.sqlite.new") }

    private func path(_ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
    }

    /// Creates the data directory and its missing parents, each for its user only.
    ///
    /// The mode of an existing directory is its owner's choice. The files in it are closed to others anyway.
    func createDirectory() throws(StoreError) {
        if let status = try StoreFileStatus(path: directory) {
            if status.isDirectory { return }
            throw .unavailable(path: directory, "it is not a directory", [.chooseOtherStore])
        }
        var missing: [String] = []
        var current = directory
        while !current.isEmpty, current != "/", try StoreFileStatus(path: current) == nil {
            missing.append(current)
            guard let slash = current.lastIndex(of: "/") else { break }
            current = String(current[..<slash])
        }
        for path in missing.reversed() where mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw .unavailable(path: path, String(cString: strerror(errno)), [.chooseOtherStore])
        }
        guard try StoreFileStatus(path: directory)?.isDirectory == true else {
            throw .unavailable(path: directory, "it is not a directory", [.chooseOtherStore])
        }
    }

    /// Syncs the name of the data directory, and those of its parents on the same file system, to stable
    /// storage. The process that created them may have ended before a power loss.
    func synchronizePath() throws(StoreError) {
        var current = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if current < 0 { throw StoreError(systemCall: errno, on: directory) }
        defer { _ = close(current) }
        while true {
            let here = try StoreFileStatus(descriptor: current, path: directory).identity
            let parent = openat(current, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if parent < 0 {
                // A directory that this user may not read is not this user's, so it existed before.
                guard errno == EACCES || errno == EPERM else {
                    throw StoreError(systemCall: errno, on: directory)
                }
                return
            }
            _ = close(current)
            current = parent
            let above = try StoreFileStatus(descriptor: current, path: directory).identity
            guard above != here, above.device == here.device else { return }
            if fsync(current) != 0 { throw StoreError(systemCall: errno, on: directory) }
        }
    }

    /// Syncs a rename in the data directory to stable storage.
    func synchronizeDirectory() throws(StoreError) {
        let file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if file < 0 { throw StoreError(systemCall: errno, on: directory) }
        defer { _ = close(file) }
        if fsync(file) != 0 { throw StoreError(systemCall: errno, on: directory) }
    }
}
