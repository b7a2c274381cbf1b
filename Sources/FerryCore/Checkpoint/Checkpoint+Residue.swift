/// What happens to the part file of a cancelled transfer.
enum Residue: Hashable, Sendable {
    /// It stays, and belongs to the user from now on.
    case kept
    /// It is still to be removed.
    case owed
    /// It is removed.
    case removed
}

extension Checkpoint {
    /// Reduces the claims to those of a cancelled transfer: the part file until it is removed, and no bytes of it.
    /// For a file that is kept, the received length stays known.
    mutating func cancel(leaving residue: Residue) {
        if residue != .owed { part = nil }
        if residue != .kept { forgetBytes() }
    }
}
