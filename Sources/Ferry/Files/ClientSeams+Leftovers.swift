import FerryCore
import Logging

/// Removes the residues of ended transfers (``WorkResidue``).
extension ClientSeams {
    /// Removes the residue of a transfer that is over and that no process runs, if it is on this machine. A part file is
    /// removed only if it is the one that the transfer claims, and one of another tool is given back.
    func removeResidue(of transfer: Transfer) async throws(StorageProblem) {
        switch transfer.residue {
        // What a server holds is removed by an engine.
        case nil, .upload?: break
        case .partFile(let place, let claim)?:
            if let adoption = claim.adoption {
                try await files.giveBack(at: place, identity: claim.identity, adoption)
            } else {
                try await files.removePart(at: place, identity: claim.identity)
            }
        case .bodyCopy?: try await bodies.removeCopy(for: transfer.uuid)
        }
    }

    /// As ``removeResidue(of:)``, and notes that the copy of a body is gone. Logs a failure, for use where no caller can be
    /// told.
    func removeLeftover(of transfer: Transfer, logger: Logger) async {
        do {
            try await removeResidue(of: transfer)
            if transfer.residue == .bodyCopy {
                try await store.settleResidues(of: [transfer.id], as: .removed)
            }
        } catch {
            logger.warning(
                "A file of a transfer could not be removed.",
                metadata: ["transfer": "\(transfer.id)", "error": "\(error)"]
            )
        }
    }

    // MARK: Copies of bodies

    /// Begins a copy of a body. A copy under the same name that no transfer needs is removed first.
    func copy(for uuid: TransferUUID) async throws -> any BodyCopy {
        do {
            return try await bodies.copy(for: uuid)
        } catch {
            // Made by a process that died before it added the transfer, or by one that is still adding it.
            try await removeUnneededCopies()
            return try await bodies.copy(for: uuid)
        }
    }

    /// Removes the copies of transfers that were never added, and of those that are over: the loss of power may bring back a
    /// removed copy.
    func removeUnneededCopies() async throws {
        let store = store
        // A store that is only read may not show the latest transfers.
        guard !store.isReadOnly else { return }
        try await bodies.removeCopies { uuid throws(StoreError) in
            guard let transfer = try await store.transfer(uuid: uuid) else { return false }
            return !transfer.state.name.isOver
        }
    }
}
