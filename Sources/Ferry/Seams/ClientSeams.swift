package import FerryCore

/// The seams for adding, steering and reading transfers: the store, the files, the clock and this machine, but not the
/// network.
package struct ClientSeams: Sendable {
    /// Where transfers are kept.
    package let store: any TransferStore
    /// The file system.
    package let files: any PartFileSystem
    /// The files that requests carry.
    package let bodies: any BodyFiles
    /// The clock.
    package let clock: any WallClock
    /// This machine.
    package let host: any HostInspector
    /// The directory of the pools that have none of their own.
    package let cacheDirectory: String
    /// The executor of every task of the engine; `nil` for the global pool.
    package let executor: (any TaskExecutor)?
    /// Repairs what only another program or a failing disk can have damaged in the store; returns what was wrong, in
    /// words.
    package let mend: @Sendable () async throws(StoreError) -> [String]
    /// Runs a function while the store is not writing, so that it blocks no other process's writes.
    package let betweenWrites: @Sendable (@escaping @Sendable () -> Void) async -> Void
    /// Releases what the other seams share, after they were closed.
    package let release: @Sendable () async -> Void

    /// Creates a set of seams.
    package init(
        store: any TransferStore,
        files: any PartFileSystem,
        bodies: any BodyFiles,
        clock: any WallClock,
        host: any HostInspector,
        cacheDirectory: String = "/cache",
        executor: (any TaskExecutor)? = nil,
        mend: @escaping @Sendable () async throws(StoreError) -> [String] = { () throws(StoreError) in [] },
        betweenWrites: @escaping @Sendable (@escaping @Sendable () -> Void) async -> Void = { $0() },
        release: @escaping @Sendable () async -> Void = {}
    ) {
        self.store = store
        self.files = files
        self.bodies = bodies
        self.clock = clock
        self.host = host
        self.cacheDirectory = cacheDirectory
        self.executor = executor
        self.mend = mend
        self.betweenWrites = betweenWrites
        self.release = release
    }
}
