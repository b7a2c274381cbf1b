/// What is left of a cancelled transfer.
enum Residue: Hashable, Sendable {
    /// It stays, and is the user's from now on.
    case kept
    /// It is still to be removed.
    case owed
    /// It is removed.
    case removed
}

extension Checkpoint {
    /// Claims what a cancelled transfer claims: a part file as long as that is to be removed, and no bytes of it. Of one that
    /// is kept it is still told how long it was.
    mutating func cancel(leaving residue: Residue) {
        if residue != .owed { part = nil }
        if residue != .kept { forgetBytes() }
    }
}
