import FerryCore
import Logging

/// Removes the residues of ended transfers (``WorkResidue``).
extension ClientSeams {
    /// Removes the residue of a cancelled transfer that no process runs. A part file is removed only if it is the one
    /// that the transfer claims.
    func removeResidue(of transfer: Transfer) async throws(StorageProblem) {
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
                "A part file could not be removed.",
                metadata: ["transfer": "\(transfer.id)", "error": "\(error.problem.failure.message)"]
            )
        }
    }
}
