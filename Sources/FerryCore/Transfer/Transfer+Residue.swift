extension Transfer {
    /// The part file of a cancelled transfer that is still to be removed; `nil` if there is none, and for any other
    /// transfer.
    package var residue: PartFileClaim? { state == .cancelled ? work.residue : nil }

    /// Notes that the part file of this cancelled transfer was removed.
    package mutating func noteResidueRemoved() { work.cancel(leaving: .removed) }
}
