/// Whether an entry of a pool may be evicted.
public enum CacheMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// It may be evicted when its pool is over a limit.
    case cached
    /// It stays until it is unpinned or removed.
    case persistent
}
