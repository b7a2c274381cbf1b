/// What a cancelled transfer claims.
extension Checkpoint {
    /// What has become of the part file of a transfer that is cancelled.
    enum Residue: Hashable, Sendable {
        /// It stays, and is the user's from now on.
        case kept
        /// It is still to be removed.
        case owed
        /// It is removed.
        case removed
    }

    /// Claims what a cancelled transfer claims: a part file as long as that is to be removed, and no bytes of it. Of one that
    /// is kept it is still told how long it was.
    mutating func cancel(leaving residue: Residue) {
        if residue != .owed { part = nil }
        if residue != .kept { forgetBytes() }
    }
}

extension Transfer {
    /// The part file that a cancelled transfer has yet to be rid of; `nil` when there is none, and for any other transfer.
    package var residue: PartFileClaim? { state == .cancelled ? checkpoint.part : nil }

    /// Notes that the part file is removed which this cancelled transfer had left.
    package mutating func noteResidueRemoved() { checkpoint.cancel(leaving: .removed) }
}
