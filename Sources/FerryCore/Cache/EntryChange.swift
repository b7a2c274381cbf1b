/// A change to an entry of a pool.
package enum EntryChange: Hashable, Sendable {
    /// It was used.
    case use
    /// Whether it may be evicted.
    case mode(CacheMode)
    /// An owner retains it once more.
    case retain(OwnerID)
    /// An owner retains it once less.
    case release(OwnerID)
    /// Notes its deletion.
    case remove
    /// Forgets it: its deletion was noted, and its file is gone.
    case forget
    /// Its file is gone without having been deleted by Ferry.
    case lose
}
