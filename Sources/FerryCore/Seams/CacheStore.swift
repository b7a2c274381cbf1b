/// Stores the pools of the managed cache. Each function is one transaction, as in ``TransferStore``.
///
/// The entry that a download brings (``DownloadOptions/cache``) is noted in the commit that adds the transfer, and recorded in
/// the one that completes it. That commit also notes the deletion of what the pool has no room for any more.
package protocol CacheStore: Sendable {
    /// Returns the pools that were ever changed or have entries, by name.
    func pools() async throws(StoreError) -> [CacheSettings]

    /// Returns the settings of a pool; one that was never changed is as ``CacheSettings/init(_:)`` makes it.
    func pool(named name: String) async throws(StoreError) -> CacheSettings

    /// Changes the settings of a pool. Returns after a commit that survives power loss.
    ///
    /// - Throws: ``StoreError/refusedPool(_:)``; nothing is changed then.
    func edit(pool name: String, _ edit: CacheEdit) async throws(StoreError) -> CacheSettings

    /// Returns the entry with the name of a file; `nil` if the pool has none.
    func entry(_ name: String, in pool: String) async throws(StoreError) -> StoredEntry?

    /// Returns entries in the order of their numbers, after the one with a number.
    func entries(
        _ filter: EntryFilter,
        after number: Int64,
        limit: Int
    ) async throws(StoreError) -> [StoredEntry]

    /// Returns the size of a pool.
    func size(ofPool name: String) async throws(StoreError) -> CacheSize

    /// Notes that an owner puts the file of an entry into a pool, and retains the entry. If the pool has none with this name, the
    /// given one is added.
    ///
    /// - Returns: the entry.
    /// - Throws: ``StoreError/ownerRemoved`` when the owner was removed.
    func beginImport(_ entry: StoredEntry, by owner: OwnerID) async throws(StoreError) -> StoredEntry

    /// Changes entries by their numbers. Numbers without an entry are ignored, and so is a change that is not allowed. A release
    /// also notes the deletion of what the pool has no room for.
    ///
    /// - Returns: the entries as they are afterwards, without those that are gone.
    func change(
        _ numbers: [Int64],
        _ change: EntryChange,
        at now: Instant
    ) async throws(StoreError) -> [StoredEntry]

    /// Notes the deletion of what a pool has no room for (``EvictionPlan``), up to a number of entries.
    ///
    /// - Returns: how many; if there are `limit` of them, more may remain.
    func evict(fromPool name: String, upTo limit: Int, at now: Instant) async throws(StoreError) -> Int

    /// Forgets that a download will bring entries if its transfer has ended without them, or is gone.
    func settleExpected(inPool name: String) async throws(StoreError)
}
