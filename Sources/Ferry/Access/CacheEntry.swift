public import FerryCore

/// A file in a pool, as it was when it was looked for. The system, or another process, may delete it at any time, unless it is
/// retained (``CachePool/retain(_:)``) or its mode is ``CacheMode/persistent``.
public struct CacheEntry: Hashable, Sendable {
    /// Its number in the store. It tells entries apart whose labels are the same without their secrets.
    package let number: Int64
    /// The name of its pool.
    public let pool: String
    /// Its URL without secrets, or the application's own key.
    public let label: String
    /// The application's label for what it is.
    public let kind: String?
    /// Whether it may be evicted.
    public let mode: CacheMode
    /// How long it is served without asking the server.
    public let expiry: CacheExpiry
    /// The path of its file; `nil` if the server has no such resource (``CacheOptions/cachesAbsence``). Do not change the file:
    /// a changed one is not served any more.
    public let path: String?
    /// The length of its file in bytes.
    public let bytes: Int64
    /// The ETag of its version, as the server sent it.
    public let entityTag: String?
    /// When it was last used.
    public let used: Instant
    /// When it was downloaded, or the server last said that it has no other version.
    public let checked: Instant
    /// Whether it is served without asking the server.
    public let isFresh: Bool
    /// How many times it is retained.
    public let retains: Int
    /// The transfer that it waits for (``CachePool/keep(_:until:then:)``).
    public let awaited: TransferID?
    /// The transfer that asks the server for a newer version, if the entry was returned although it is no longer fresh
    /// (``CacheOptions/servesStale``). When it has completed, ``CachePool/entry(for:)`` returns the version that the server has.
    public internal(set) var revalidation: TransferID?

    init(_ stored: StoredEntry, path: String?, isFresh: Bool) {
        (number, pool) = (stored.number, stored.pool)
        (label, kind) = (stored.label, stored.kind)
        (mode, expiry, bytes) = (stored.mode, stored.expiry, stored.bytes)
        (used, checked, retains) = (stored.used, stored.checked, stored.retains)
        awaited = stored.awaited?.transfer
        entityTag = stored.version?.validator.entityTag.map { "\($0)" }
        (self.path, self.isFresh) = (path, isFresh)
    }
}
