import FerryCore

/// Streams whose process is gone.
extension Scheduler {
    /// Fails a transfer to the standard output of another process, because that process is gone.
    func giveUpForeignStream(_ transfer: Transfer, _ claim: Claim) async {
        let lost = TransferFailure(
            .streamLost,
            "The process whose standard output it was is gone.",
            hint: TransferFailure.streamHint
        )
        let settlement = Settlement(.failed(lost), progress: transfer.work.progress, failure: lost)
        do throws(StoreError) {
            hub.publish(try await seams.store.settle(claim, as: settlement, at: seams.clock.now))
        } catch .claimLost {
            noteLostClaim(on: transfer.id)
        } catch {
            fail(error)
        }
        signal(.attemptEnded)
    }
}
