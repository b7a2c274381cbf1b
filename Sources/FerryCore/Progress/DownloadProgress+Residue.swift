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
    /// For a file that is kept, it stays known which file that is and what it has. That of another tool
    /// counts once its bytes were compared, and a sealed one could only be resumed with its key, which is not kept.
    mutating func settleResidue(as fate: ResidueFate) {
        let isCompared = part?.adoption == nil || assurance != .single
        if fate == .kept, let part, isCompared, part.seal == nil { kept = part }
        if fate != .owed { part = nil }
        guard fate != .kept else { return }
        kept = nil
        forgetBytes()
    }
}
