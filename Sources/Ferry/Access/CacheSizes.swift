public import FerryCore

/// The sizes of a pool (``CachePool/sizes()``): the present one, and then each other one, whichever process changes it. A slow
/// reader gets the latest size only.
public struct CacheSizes: AsyncSequence, Sendable {
    let pool: CachePool

    /// Iterates over sizes until the task is cancelled or the store is closed.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pool: CachePool
        private var changes: AsyncStream<Void>.AsyncIterator
        private var latest: CacheSize?

        init(_ pool: CachePool) {
            self.pool = pool
            // Listens from now on, so that no change is missed between the first reading and the first wait.
            changes = pool.client.store.changes().makeAsyncIterator()
        }

        /// The next size; `nil` when there will be no more.
        ///
        /// - Throws: ``StoreError``.
        public mutating func next() async throws(StoreError) -> CacheSize? {
            while true {
                if latest != nil, await changes.next() == nil { return nil }
                let size = try await pool.size
                guard size == latest else {
                    latest = size
                    return size
                }
            }
        }
    }

    /// Starts iterating. Each iterator gets all sizes.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pool) }
}
