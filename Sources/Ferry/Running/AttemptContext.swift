import FerryCore

/// What every attempt at a transfer is given, whatever its kind.
struct AttemptContext: Sendable {
    /// The transfer as it was claimed.
    let transfer: Transfer
    /// The claim under which the attempt writes.
    let claim: Claim
    let seams: EngineSeams
    let configuration: EngineConfiguration
    let hub: UpdateHub
    let network: NetworkWatch
    /// The rate limits of its queue and its engine, shared with other transfers.
    let rates: [SharedBucket]
}

/// A runner over the seams of an engine.
protocol SeamRunner: AttemptRunner {
    var context: AttemptContext { get }
}

extension SeamRunner {
    var transfer: Transfer { context.transfer }
    var claim: Claim { context.claim }
    var seams: EngineSeams { context.seams }
    var configuration: EngineConfiguration { context.configuration }
    var hub: UpdateHub { context.hub }
    var network: NetworkWatch { context.network }

    /// Records the progress.
    ///
    /// - Returns: the end of the attempt if it cannot be recorded.
    func record(_ progress: WorkProgress, _ durability: Durability) async -> AttemptReport? {
        do throws(StoreError) {
            try await seams.store.record(
                progress,
                for: claim,
                durability: durability,
                at: seams.clock.now
            )
            return nil
        } catch .claimLost {
            return .claimLost
        } catch {
            return .storeFailed(error)
        }
    }
}
