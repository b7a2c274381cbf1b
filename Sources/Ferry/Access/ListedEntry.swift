package import FerryCore

/// An entry of a pool in a list.
package struct ListedEntry: Hashable, Sendable {
    /// The entry.
    package let entry: CacheEntry
    /// What was found in the place of its file; `nil` for an entry without a file.
    package let file: EntryFile?
}
