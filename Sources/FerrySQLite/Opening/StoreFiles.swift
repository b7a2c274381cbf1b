import FerryCore
import Foundation

/// The files of one store, by their paths.
struct StoreFiles: Hashable, Sendable {
    /// The data directory, as it was named.
    let directory: String

    /// The database.
    var database: String { path("ferry.sqlite") }
    /// SQLite's write-ahead log.
    var log: String { database + "-wal" }
    /// SQLite's index of that log, shared by the processes.
    var logIndex: String { database + "-shm" }
    /// The lock that writers take turns by.
    var lock: String { path("ferry.lock") }
    /// A new database until it is whole; it then gets its name in one step.
    var newborn: String { path("ferry.sqlite.new") }

    private func path(_ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
    }

    /// Creates the data directory and what leads to it, each for its user only.
    ///
    /// The mode of a directory that exists is its owner's business; the files in it are closed to others anyway.
    func createDirectory() throws(StoreError) {
        if let status = try FileStatus(path: directory) {
            if status.isDirectory { return }
            throw .unavailable(path: directory, "it is not a directory")
        }
        var missing: [String] = []
        var current = directory
        while !current.isEmpty, current != "/", try FileStatus(path: current) == nil {
            missing.append(current)
            guard let slash = current.lastIndex(of: "/") else { break }
            current = String(current[..<slash])
        }
        for path in missing.reversed() where mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw .unavailable(path: path, String(cString: strerror(errno)))
        }
        guard try FileStatus(path: directory)?.isDirectory == true else {
            throw .unavailable(path: directory, "it is not a directory")
        }
    }

    /// Brings the name of the data directory, and the names of all that lead to it on its file system, to stable
    /// storage: whoever made them may have ended before the power did.
    func synchronizePath() throws(StoreError) {
        var current = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if current < 0 { throw StoreError(systemCall: errno, on: directory) }
        defer { _ = close(current) }
        while true {
            let here = try FileStatus(descriptor: current, path: directory).identity
            let parent = openat(current, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if parent < 0 {
                // One that may not be read is not this user's, so it was there before.
                guard errno == EACCES || errno == EPERM else {
                    throw StoreError(systemCall: errno, on: directory)
                }
                return
            }
            _ = close(current)
            current = parent
            let above = try FileStatus(descriptor: current, path: directory).identity
            guard above != here, above.device == here.device else { return }
            if fsync(current) != 0 { throw StoreError(systemCall: errno, on: directory) }
        }
    }

    /// Brings a rename in the data directory to stable storage.
    func synchronizeDirectory() throws(StoreError) {
        let file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if file < 0 { throw StoreError(systemCall: errno, on: directory) }
        defer { _ = close(file) }
        if fsync(file) != 0 { throw StoreError(systemCall: errno, on: directory) }
    }
}
