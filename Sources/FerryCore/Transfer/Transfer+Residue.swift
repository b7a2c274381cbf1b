extension Transfer {
    /// The residue of this cancelled transfer that must still be removed; `nil` without a residue, and for any other
    /// transfer.
    package var residue: WorkResidue? { state == .cancelled ? work.residue : nil }

    /// Who removes its residue.
    package var remover: ResidueRemover {
        switch residue {
        case nil: .noOne
        case .partFile?: displacement == nil ? .canceller : .anyProcess
        }
    }

    /// Notes that the residue of this cancelled transfer was removed.
    package mutating func noteResidueRemoved() { work.change { $0.cancel(leaving: .removed) } }
}

/// Who removes the residue of a transfer. The raw value is stored.
package enum ResidueRemover: Int64, Hashable, Sendable {
    /// It has no residue.
    case noOne = 0
    /// The process that cancelled it, or the process that frees the transfers of that one.
    case canceller = 1
    /// Any process: it gave way to another transfer while no process held it.
    case anyProcess = 2
}
