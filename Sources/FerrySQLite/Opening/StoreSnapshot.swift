import FerryCore
import Foundation

/// A private copy of a store that this process cannot write: read-only or full file system, or another
/// user's.
///
/// SQLite reads a database with a log in place only if it may write the log's index. Without a log, the
/// caller must promise that no one changes the database. Others may write this one at any time, so it is
/// copied while no one writes, and the copy is read.
struct StoreSnapshot {
    /// The files of the copy.
    let files: StoreFiles

    /// Maximum attempts to copy the store while others write, when their lock cannot be taken.
    private static let attempts = 5

    /// Copies the store if this process may only read it, or always with `evenIfWritable`; otherwise `nil`.
    static func take(of files: StoreFiles, evenIfWritable: Bool = false) throws(StoreError) -> StoreSnapshot?
    {
        guard let status = try StoreFileStatus(path: files.database), status.isRegular, status.length > 0,
            !OpenStores.contains(status.identity), evenIfWritable || !mayWrite(files)
        else { return nil }
        try StoreInspection(files: files).inspectHeader()
        return try make { snapshot throws(StoreError) in try snapshot.copy(files) }
    }

    /// An empty store, shown where none exists.
    static func empty() throws(StoreError) -> StoreSnapshot {
        try make { snapshot throws(StoreError) in try StoreBirth(files: snapshot.files).create() }
    }

    private static func make(
        _ fill: (StoreSnapshot) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreSnapshot {
        let directory = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        var template = Array((directory + "/ferry-" + String(repeating: "X", count: 6)).utf8CString)
        guard let made = mkdtemp(&template) else { throw StoreError(systemCall: errno, on: directory) }
        let snapshot = StoreSnapshot(files: StoreFiles(directory: String(cString: made)))
        do throws(StoreError) {
            try fill(snapshot)
        } catch {
            snapshot.remove()
            throw error
        }
        return snapshot
    }

    /// Removes the copy. Open connections can still read it.
    func remove() {
        for path in [files.database, files.log, files.logIndex, files.lock] { _ = unlink(path) }
        // A leftover copy is private, and is in the directory for temporary files.
        _ = rmdir(files.directory)
    }

    private static func mayWrite(_ files: StoreFiles) -> Bool {
        // After an error a file system may refuse writes, and shows it only on opening a file for writing.
        let lock = open(files.lock, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        if lock < 0, errno == EROFS { return false }
        if lock >= 0 { _ = close(lock) }
        return [files.directory, files.database].allSatisfy { path in
            if faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 { return true }
            // The opening meets and reports any other problem.
            return errno != EACCES && errno != EROFS && errno != EPERM
        }
    }

    private func copy(_ original: StoreFiles) throws(StoreError) {
        let lock = open(original.lock, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        defer { if lock >= 0 { _ = close(lock) } }
        if lock >= 0, Self.isShared(lock) { return try copyFiles(original) }
        for _ in 0..<Self.attempts {
            let before = Self.moment(of: original)
            try copyFiles(original)
            if Self.moment(of: original) == before { return }
        }
        throw .unavailable(path: original.database, "it is being written, and its lock cannot be taken")
    }

    /// Takes a shared lock. Writers lock exclusively, so none of them writes while it is shared.
    private static func isShared(_ lock: Int32) -> Bool {
        while flock(lock, LOCK_SH) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// The lengths and modification times of the files.
    private static func moment(of files: StoreFiles) -> [Int] {
        [files.database, files.log].flatMap { path in
            var status = stat()
            guard stat(path, &status) == 0 else { return [-1] }
            return [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        }
    }

    private func copyFiles(_ original: StoreFiles) throws(StoreError) {
        try Self.copy(original.database, to: files.database, isNeeded: true)
        try Self.copy(original.log, to: files.log, isNeeded: false)
    }

    private static func copy(_ source: String, to copy: String, isNeeded: Bool) throws(StoreError) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else {
            if !isNeeded, errno == ENOENT { return }
            throw StoreError(systemCall: errno, on: source)
        }
        defer { _ = close(input) }
        let output = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw StoreError(systemCall: errno, on: copy) }
        defer { _ = close(output) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(input, &buffer, buffer.count)
            if count == 0 { return }
            guard count > 0 else { throw StoreError(systemCall: errno, on: source) }
            var written = 0
            while written < count {
                let more = buffer.withUnsafeBytes { bytes in
                    write(output, bytes.baseAddress?.advanced(by: written), count - written)
                }
                guard more > 0 else { throw StoreError(systemCall: errno, on: copy) }
                written += more
            }
        }
    }
}

extension StoreError {
    /// The same failure with another path.
    func of(_ path: String) -> StoreError {
        switch self {
        case .foreign: .foreign(path: path)
        case .newer: .newer(path: path)
        case .unreleased: .unreleased(path: path)
        case .corrupt(_, let detail): .corrupt(path: path, detail)
        case .unavailable(_, let detail, let remedies): .unavailable(path: path, detail, remedies)
        default: self
        }
    }
}
