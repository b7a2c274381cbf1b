public import FerryCore
import Synchronization

/// Keeps the file of an entry from being deleted until ``release()``, the closing of the engine or client, or the end of the
/// process. A newer version may still take its place under the path; a file that is open stays as it is.
public final class CacheRetain: Sendable {
    /// The entry.
    public let entry: CacheEntry
    let number: Int64
    private let owner: OwnerID
    private let pool: CachePool
    private let isReleased = Mutex(false)

    init(_ entry: CacheEntry, _ number: Int64, owner: OwnerID, in pool: CachePool) {
        (self.entry, self.number, self.owner, self.pool) = (entry, number, owner, pool)
    }

    /// Releases the entry. If its deletion was noted meanwhile, and no one else retains it, its file is deleted now. Once the release
    /// is recorded, another call does nothing.
    ///
    /// - Throws: ``StoreError`` when the release could not be recorded, for example because the disk is full. Call it again then.
    ///   It also throws when the store fails after that, while the file is deleted. The deletion is completed later.
    public func release() async throws(StoreError) {
        let isFirst = isReleased.withLock { isReleased in
            defer { isReleased = true }
            return !isReleased
        }
        guard isFirst else { return }
        do throws(StoreError) {
            try await pool.release(number, owner)
        } catch {
            isReleased.withLock { $0 = false }
            throw error
        }
        try await pool.client.poolFiles.deleteLeaving()
    }
}
