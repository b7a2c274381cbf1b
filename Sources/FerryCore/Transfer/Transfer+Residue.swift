/// What a cancelled transfer claims.
extension Checkpoint {
    /// Claims what a cancelled transfer claims: a part file as long as that is to be removed, and no bytes of it. Of one that
    /// is kept it is still told how long it was.
    mutating func cancel(leaving residue: Residue) {
        if residue != .owed { part = nil }
        if residue != .kept { forgetBytes() }
    }
}

extension Transfer {
    /// The part file that a cancelled transfer has yet to be rid of; `nil` when there is none, and for any other transfer.
    package var residue: PartFileClaim? { state == .cancelled ? work.residue : nil }

    /// Notes that the part file is removed which this cancelled transfer had left.
    package mutating func noteResidueRemoved() { work.cancel(leaving: .removed) }
}
