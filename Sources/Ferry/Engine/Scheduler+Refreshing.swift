import FerryCore
import Logging

/// Fresh URLs for those that have expired.
extension Scheduler {
    /// What an attempt came to, after a fresh URL was asked for where that is what it lacks.
    ///
    /// The URL is written while the transfer is still held: nobody else takes it up with the old one.
    func refreshed(
        _ runner: DownloadRunner,
        _ outcome: DownloadMachine.Outcome,
        _ checkpoint: Checkpoint
    ) async -> DownloadMachine.Outcome {
        let transfer = runner.transfer
        guard let refresh = configuration.refreshURL, case .failed(let problem) = outcome,
            problem.disposition == .condition(.newURL),
            refreshes.begin(transfer.id, received: checkpoint.segments.received)
        else { return outcome }
        do {
            let fresh = try await refresh(transfer.id, transfer.specification.url)
            guard fresh != transfer.specification.url else { return outcome }
            var edit = TransferEdit()
            edit.url = fresh
            _ = try await seams.store.edit(transfer.id, edit, at: seams.clock.now)
            return .released
        } catch {
            // Only the kind of error: what it says may quote the URL, which is a secret.
            configuration.logger.warning(
                "No fresh URL was given.",
                metadata: ["transfer": "\(transfer.id)", "error": "\(type(of: error))"]
            )
            return outcome
        }
    }
}
