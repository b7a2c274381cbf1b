import FerryCore

/// The write lock of an open store, and a check that the store is still the one that was opened.
struct StoreLock: Sendable {
    /// The lock.
    let lock: WriteLock
    /// The identity of the opened database file.
    let identity: FileIdentity
    /// The files by their paths.
    let files: StoreFiles

    /// Waits for the lock and takes it.
    ///
    /// - Throws: ``StoreError/unavailable(path:_:_:)`` when the database was removed or replaced. What is
    ///   written to it could never be found again (I3).
    func take(willWait: () -> Void) throws(StoreError) {
        guard try StoreFileStatus(path: files.directory) != nil else { throw removed }
        try lock.lock(willWait: willWait)
        do throws(StoreError) {
            guard try StoreFileStatus(path: files.database)?.identity == identity else { throw removed }
        } catch {
            lock.unlock()
            throw error
        }
    }

    /// Lets the next writer in.
    func release() {
        lock.unlock()
    }

    private var removed: StoreError {
        .unavailable(path: files.database, "it was removed or replaced while it was in use")
    }
}
