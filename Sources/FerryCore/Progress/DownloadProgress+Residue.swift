/// What happens to the residue of a transfer.
package enum ResidueFate: Hashable, Sendable {
    /// It stays, and belongs to the user from now on.
    case kept
    /// It is still to be removed.
    case owed
    /// It is removed.
    case removed
}

extension DownloadProgress {
    /// Reduces the claims to those of a cancelled transfer: the part file until it is removed, and no bytes of it.
    /// For a file that is kept, the received length stays known.
    mutating func settleResidue(as fate: ResidueFate) {
        if fate != .owed { part = nil }
        if fate != .kept { forgetBytes() }
    }
}
