/// Which of the changes that were on their way are there after a power cut.
enum Survival: String, Hashable, Sendable, CaseIterable {
    /// None: only what was synced.
    case nothing
    /// All of them: as after the death of the process alone.
    case everything
    /// All names and no bytes: a rename that came before its data.
    case names
    /// All bytes and no names.
    case bytes
    /// As a journaling file system does it: names in their order, and all that came before any sync; bytes at random.
    case journaled
    /// The names of each directory in their order, up to a random one; bytes at random.
    case ordered
    /// Each change of names and each block for itself, in any of the versions that it had.
    case anything
    /// All but a single change.
    case allButOne
    /// A single change and no other.
    case onlyOne
}
