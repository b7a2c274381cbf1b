import FerryCore
import Logging

/// The part files of transfers that are over. A cancelled transfer that still claims a part file has yet to lose it.
extension EngineSeams {
    /// Removes the part file of a transfer that no process runs, if the file is the one that the transfer claims.
    func removePart(of transfer: Transfer) async throws(StorageProblem) {
        guard let claim = transfer.download?.progress.part, let place = transfer.place else { return }
        try await files.removePart(at: place, identity: claim.identity)
    }

    /// As ``removePart(of:)``, but logs a failure, for use where no caller can be told.
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
