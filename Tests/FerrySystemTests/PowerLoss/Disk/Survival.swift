/// Which pending changes survive a power cut.
enum Survival: String, Hashable, Sendable, CaseIterable {
    /// None: only synced changes survive.
    case nothing
    /// All of them, as when only the process dies.
    case everything
    /// All names and no bytes: a rename before its data.
    case names
    /// All bytes and no names.
    case bytes
    /// As in a journaling file system: names in order, including all names before any sync; bytes at random.
    case journaled
    /// The names of each directory in order, up to a random one; bytes at random.
    case ordered
    /// Each change of names and each block independently, in any version.
    case anything
    /// All changes except one.
    case allButOne
    /// Only one change.
    case onlyOne
}
