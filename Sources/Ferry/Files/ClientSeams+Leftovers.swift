import FerryCore
import Logging

/// The part files of transfers that are over. A cancelled transfer that still claims one has it yet to be
/// removed.
extension ClientSeams {
    /// Removes the part file of a transfer that nobody runs, if it is the one that the transfer claims.
    func removePart(of transfer: Transfer) async throws(StorageProblem) {
        guard let claim = transfer.download?.progress.part, let place = transfer.place else { return }
        try await files.removePart(at: place, identity: claim.identity)
    }

    /// As ``removePart(of:)``, where nobody can be told of a failure: it is logged.
    func removeLeftover(of transfer: Transfer, logger: Logger) async {
        do throws(StorageProblem) {
            try await removePart(of: transfer)
        } catch {
            logger.warning(
                "A part file could not be removed.",
                metadata: ["transfer": "\(transfer.id)", "error": "\(error.problem.failure.message)"]
            )
        }
    }
}
