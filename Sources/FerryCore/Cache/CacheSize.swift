/// The size of a pool by the mode of its entries.
public struct CacheSize: Hashable, Sendable {
    /// The number of entries that may be evicted.
    public package(set) var cachedCount = 0
    /// The bytes of entries that may be evicted.
    public package(set) var cachedBytes: Int64 = 0
    /// The number of entries that stay.
    public package(set) var persistentCount = 0
    /// The bytes of entries that stay.
    public package(set) var persistentBytes: Int64 = 0

    /// The size of nothing.
    package init() {}

    /// Adds entries of one mode.
    package mutating func add(_ mode: CacheMode, count: Int, bytes: Int64) {
        switch mode {
        case .cached: (cachedCount, cachedBytes) = (cachedCount + count, cachedBytes + bytes)
        case .persistent:
            (persistentCount, persistentBytes) = (persistentCount + count, persistentBytes + bytes)
        }
    }
}
