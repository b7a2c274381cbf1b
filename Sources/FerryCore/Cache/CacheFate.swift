/// What becomes of an entry of a pool when the transfer that it waits for has completed.
public enum CacheFate: String, Hashable, Sendable, Codable, CaseIterable {
    /// It may be evicted.
    case cached
    /// It is removed with its file.
    case removed
}
