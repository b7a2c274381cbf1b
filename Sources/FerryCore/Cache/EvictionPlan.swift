/// Which entries of a pool a trim evicts: those that are larger than its limit, those that were not used for too long, and then
/// the least recently used ones until the pool keeps its limit. Only entries that may be evicted count for the limit. Those that
/// are larger than the limit do not count: evicting others would not make enough room.
package struct EvictionPlan {
    private let settings: CacheSettings
    private let now: Instant
    /// The bytes that are left.
    private var bytes: Int64

    /// Creates a plan.
    ///
    /// - Parameter bytes: the bytes of all entries of the pool with the mode ``CacheMode/cached`` that are neither leaving nor too
    ///   large (``CacheSettings/isTooLarge(_:)``).
    package init(_ settings: CacheSettings, bytes: Int64, at now: Instant) {
        (self.settings, self.bytes, self.now) = (settings, bytes, now)
    }

    /// Whether a pool without limits, which evicts nothing.
    package static func evictsNothing(_ settings: CacheSettings) -> Bool {
        settings.maxBytes == nil && settings.maxAge == nil
    }

    /// Whether the next entry goes. Entries that are too large come first, and then those in the order of their last use, the
    /// earliest first; once one stays, all later ones stay.
    package mutating func evicts(_ entry: StoredEntry) -> Bool {
        if settings.isTooLarge(entry.bytes) { return true }
        let isOld = settings.maxAge.map { entry.used.duration(to: now) >= $0 && entry.used <= now } ?? false
        let isTooMuch = settings.maxBytes.map { bytes > $0 } ?? false
        guard isOld || isTooMuch else { return false }
        bytes -= entry.bytes
        return true
    }
}
