extension Transfer {
    /// What this cancelled transfer has left and is still to be removed; `nil` if nothing is, and for any other
    /// transfer.
    package var residue: WorkResidue? { state == .cancelled ? work.residue : nil }

    /// Who removes its residue.
    package var remover: ResidueRemover {
        switch residue {
        case nil: .noOne
        case .partFile?: displacement == nil ? .canceller : .anyProcess
        }
    }

    /// Notes that what this cancelled transfer has left was removed.
    package mutating func noteResidueRemoved() { work.change { $0.cancel(leaving: .removed) } }
}

/// Who removes what a transfer has left. The raw value is stored.
package enum ResidueRemover: Int64, Hashable, Sendable {
    /// It has left nothing.
    case noOne = 0
    /// The process that cancelled it, or the one that frees what that process held.
    case canceller = 1
    /// Any process: it gave way to another transfer while no process held it.
    case anyProcess = 2
}
