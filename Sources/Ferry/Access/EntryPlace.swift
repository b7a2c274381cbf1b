import FerryCore

/// Where a pool has the file of an entry, and the settings that said so.
struct EntryPlace: Sendable {
    /// The place of the file.
    let file: FilePlace
    /// The settings of the pool.
    let settings: CacheSettings

    /// The name of the entry.
    var name: String { file.name.rawValue }
}
