extension Transfer {
    /// The part file that a cancelled transfer has yet to be rid of; `nil` when there is none, and for any other transfer.
    package var residue: PartFileClaim? { state == .cancelled ? work.residue : nil }

    /// Notes that the part file is removed which this cancelled transfer had left.
    package mutating func noteResidueRemoved() { work.cancel(leaving: .removed) }
}
