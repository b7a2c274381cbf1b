import Dispatch
package import FerryCore
import GRDB
import Synchronization

/// A store in an SQLite database that several processes may use at once.
///
/// The database is `ferry.sqlite` in a data directory. Writers of all processes take turns by a lock file,
/// and writes that arrive together are committed together. Reads never wait for writes. No function blocks
/// the calling thread. Cancelling a task that waits for a write does not undo the write.
package final class SQLiteTransferStore: TransferStore {
    /// The path of the database.
    package var path: String { files.database }

    let files: StoreFiles
    let connections: StoreConnections
    let group: CommitGroup
    let watch: ChangeWatch
    let codec = RowCodec()
    /// Whether the latest claim has recorded that a request is sent.
    let latestClaimRecords = Atomic(false)
    /// Whether the store may only be read. Reads then return its content at the time of opening.
    package let isReadOnly: Bool
    private let lock: StoreLock
    private let phase = Mutex(Phase.open)

    private enum Phase {
        /// In use; exits to `closing`.
        case open
        /// Refuses new work; exits to `closed`.
        case closing
        /// The connections are gone. No exit.
        case closed
    }

    /// Opens the store in a directory. Creates both if they do not exist, unless `toRead` is set.
    ///
    /// - Parameters:
    ///   - localTime: the local time by which time windows open and close.
    ///   - toRead: whether the store is only read. Then nothing is created, and a store that cannot be
    ///     written is read from a copy.
    /// - Throws: ``StoreError/foreign(path:)``, ``StoreError/newer(path:)`` or
    ///   ``StoreError/corrupt(path:_:)`` when the file is not a store that this Ferry can use; nothing in it
    ///   has been changed then. ``StoreError/unavailable(path:_:_:)`` or
    ///   ``StoreError/writeFailed(path:_:isDiskFull:)`` when it cannot be opened or created.
    package static func open(
        directory: String,
        localTime: LocalTime = .utc,
        toRead: Bool = false
    ) async throws(StoreError) -> SQLiteTransferStore {
        try await open(directory: directory, localTime: localTime, toRead: toRead, observe: { _ in })
    }

    /// Opens a store and observes its writer.
    static func open(
        directory: String,
        localTime: LocalTime = .utc,
        toRead: Bool = false,
        observe: @escaping @Sendable (StoreEvent) -> Void
    ) async throws(StoreError) -> SQLiteTransferStore {
        let files = StoreFiles(directory: directory)
        let result: Result<SQLiteTransferStore, StoreError> = await withCheckedContinuation { continuation in
            OpenStores.queue.async {
                continuation.resume(
                    returning: Result { () throws(StoreError) in
                        try SQLiteTransferStore(files, localTime: localTime, toRead: toRead, observe: observe)
                    }
                )
            }
        }
        return try result.get()
    }

    private init(
        _ files: StoreFiles,
        localTime: LocalTime,
        toRead: Bool,
        observe: @escaping @Sendable (StoreEvent) -> Void
    ) throws(StoreError) {
        let parts = try StoreOpening(files: files, toRead: toRead, observe: observe).open()
        let watch = ChangeWatch(path: files.database)
        self.files = files
        self.watch = watch
        connections = parts.connections
        lock = parts.lock
        isReadOnly = parts.isSnapshot
        group = CommitGroup(
            connection: parts.connections.writer,
            lock: parts.lock,
            schema: parts.connections.schema,
            log: LogKeeper(path: files.log),
            damage: codec.damage,
            localTime: localTime,
            refusal: parts.isSnapshot ? .mayOnlyBeRead(path: files.database) : nil,
            observe: observe,
            changed: { watch.signal(by: $0) }
        )
    }

    deinit {
        guard phase.withLock({ $0 == .open }) else { return }
        let (watch, connections, lock) = (watch, connections, lock)
        OpenStores.queue.async { Self.close(watch, connections, lock) }
    }

    /// Whether the store has been closed, or is about to be.
    var isClosed: Bool {
        phase.withLock { $0 != .open }
    }

    /// Runs `body` while this store holds no lock; writes that arrive meanwhile wait.
    package func betweenWrites(_ body: @escaping @Sendable () -> Void) async {
        await group.betweenCommits(body)
    }

    /// Commits pending writes and closes the store. A second call waits for the first.
    package func close() async {
        group.close()
        phase.withLock { if $0 == .open { $0 = .closing } }
        await withCheckedContinuation { continuation in
            OpenStores.queue.async { [self] in
                // The queue is serial, so a second close returns after the first has finished.
                if phase.withLock({ $0 == .closing }) {
                    group.commitRest()
                    Self.close(watch, connections, lock)
                    phase.withLock { $0 = .closed }
                }
                continuation.resume()
            }
        }
    }

    private static func close(_ watch: ChangeWatch, _ connections: StoreConnections, _ lock: StoreLock) {
        // Pending work on the writing connection ends here, while it may still take the lock itself.
        connections.writer.inDatabase { _ in }
        // The last connection to a database copies the log into it, which may only happen under the lock. If
        // the lock cannot be taken, or the database is gone, closing copies nothing that others rely on.
        let isLocked = (try? lock.take(willWait: {})) != nil
        do {
            try watch.close()
            try connections.close()
        } catch {
            // Acknowledged writes are in the log, where the next process that opens the store finds them.
        }
        if isLocked { lock.release() }
        OpenStores.remove(lock.identity)
    }
}
