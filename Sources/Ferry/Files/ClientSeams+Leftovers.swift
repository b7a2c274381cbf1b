import FerryCore
import Logging

/// Removes the residues of ended transfers (``WorkResidue``).
extension ClientSeams {
    /// Removes the residue of a cancelled transfer that no process runs, and the copy of the body of any that is over. A
    /// part file is removed only if it is the one that the transfer claims.
    func removeResidue(of transfer: Transfer) async throws(StorageProblem) {
        if transfer.state.name.isOver, transfer.work.bodyCopy != nil {
            try await bodies.removeCopy(for: transfer.uuid)
        }
        switch transfer.residue {
        case nil: break
        case .partFile(let place, let claim)?: try await files.removePart(at: place, identity: claim.identity)
        }
    }

    /// As ``removeResidue(of:)``, but logs a failure, for use where no caller can be told.
    func removeLeftover(of transfer: Transfer, logger: Logger) async {
        do throws(StorageProblem) {
            try await removeResidue(of: transfer)
        } catch {
            logger.warning(
                "A file of a transfer could not be removed.",
                metadata: ["transfer": "\(transfer.id)", "error": "\(error.problem.failure.message)"]
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
            _ = try await removeUnneededCopies()
            return try await bodies.copy(for: uuid)
        }
    }

    /// Removes the copies of transfers that are over or were never added.
    ///
    /// - Returns: the number of removed copies.
    func removeUnneededCopies() async throws -> Int {
        let store = store
        // A store that is only read may not show the latest transfers.
        guard !store.isReadOnly else { return 0 }
        return try await bodies.removeCopies { uuid throws(StoreError) in
            guard let transfer = try await store.transfer(uuid: uuid) else { return false }
            return !transfer.state.name.isOver
        }
    }
}
