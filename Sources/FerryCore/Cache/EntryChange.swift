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
    /// The file that was about to take its place is gone, or never came. If another file is about to take it by now, nothing
    /// changes.
    case withdraw(SavedVersion)
    /// Another process has found the file that was about to take its place there. If a later one was announced since, nothing
    /// changes.
    case arrive(SavedVersion)
    /// It has this file now, which an application has put into the pool. Ends the retain of the import.
    case take(SavedVersion, CacheTerms, by: OwnerID)
    /// Adds a retain of an owner.
    case retain(OwnerID)
    /// Ends a retain of an owner.
    case release(OwnerID)
    /// Notes its deletion, if it has this mode; `nil` for any mode. It may have been pinned since it was read.
    case remove(CacheMode?)
    /// Forgets it after its deletion was noted, and its file, one of these, was deleted.
    case forget(Set<SavedVersion>)
    /// The file of this version is gone, and Ferry did not delete it. If the entry has another version by now, nothing changes.
    case lose(SavedVersion)
}
