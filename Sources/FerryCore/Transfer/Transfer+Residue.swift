extension Transfer {
    /// The residue of this transfer that must still be removed; `nil` without a residue, and while it may run again.
    package var residue: WorkResidue? {
        switch state {
        case .cancelled: work.residue
        case .completed: work.residueWhenCompleted
        case .queued, .active, .waiting, .paused, .failed: nil
        }
    }

    /// Who removes its residue.
    package var remover: ResidueRemover {
        switch residue {
        case nil: .noOne
        case .partFile?: displacement == nil ? .canceller : .anyProcess
        case .upload?, .bodyCopy?: .anyEngine
        }
    }

    /// Whether it is a download that has failed without a byte, so that nothing is lost when it is forgotten. No attempt has
    /// received anything, and no process holds it.
    package var isEmptyFailure: Bool {
        state.isFailed && claim == nil && ledger.bestReceived == 0 && work.hasNothingToLose
    }

    /// Whether it is a download that was refused before its first byte, because something has its name. There is nothing to
    /// resume.
    package var isRefusedForItsName: Bool { hasFileInTheWay && isEmptyFailure }

    /// Whether it has failed because something has its name that is left alone.
    package var hasFileInTheWay: Bool {
        guard case .failed(let failure) = state else { return false }
        return switch failure.code {
        case .destinationExists: true
        // An existing file has the wrong digest. Wrong bytes that were fetched are no file that could be replaced.
        case .checksumMismatch: failure.remedies.contains(.overwrite)
        default: false
        }
    }

    /// Notes what has become of the residue of this transfer.
    package mutating func settleResidue(as fate: ResidueFate) { work.change { $0.settleResidue(as: fate) } }
}

/// Who removes the residue of a transfer. The raw value is stored.
package enum ResidueRemover: Int64, Hashable, Sendable {
    /// It has no residue.
    case noOne = 0
    /// The process that cancelled it, or the process that frees the transfers of that one.
    case canceller = 1
    /// Any process: it gave way to another transfer while no process held it.
    case anyProcess = 2
    /// Any engine, while it runs.
    case anyEngine = 3
}
