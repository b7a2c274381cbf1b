/// Which entries to read. They come in the order of their numbers.
package struct EntryFilter: Hashable, Sendable {
    /// Only those of this pool.
    package var pool: String?
    /// Only those whose deletion was noted and that no owner retains.
    package var isDeletable = false
    /// Only those whose file may be the one with this inode number.
    package var inode: UInt64?

    /// All entries of a pool, or of all pools.
    package init(pool: String? = nil) { self.pool = pool }
}
