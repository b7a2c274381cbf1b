/// A change to an entry of a pool.
package enum EntryChange: Hashable, Sendable {
    /// It was used.
    case use
    /// Whether it may be evicted. It waits for no transfer any more.
    case mode(CacheMode)
    /// It stays until a transfer has completed.
    case wait(StoredEntry.Awaited)
    /// This file is about to take its place.
    case announce(SavedVersion)
    /// The file that was about to take its place is gone, or never came. An entry to which another one is to come by now stays.
    case withdraw(SavedVersion)
    /// The file that was about to take its place is there, as another process has found. If it is not the latest one any more,
    /// nothing changes.
    case arrive(SavedVersion)
    /// It has this file now, which an application has put into the pool. The owner that has retained it meanwhile releases it.
    case take(SavedVersion, CacheTerms, by: OwnerID)
    /// An owner retains it once more.
    case retain(OwnerID)
    /// An owner retains it once less.
    case release(OwnerID)
    /// Notes its deletion, if it has this mode; `nil` for any. A person may have pinned it meanwhile.
    case remove(CacheMode?)
    /// Forgets it: its deletion was noted, and its file was one of these, which are deleted.
    case forget(Set<SavedVersion>)
    /// The file of this version is gone without having been deleted by Ferry. An entry that has another version by now stays.
    case lose(SavedVersion)
}
