import FerryCore

/// Transfers that may have killed their process.
extension Scheduler {
    /// Lets other transfers start when the suspect has survived its probation.
    func watch(suspect transfer: Transfer, _ claim: Claim, in group: inout DiscardingTaskGroup) {
        suspects.began(claim)
        let probation = transfer.probation
        group.addTask {
            do {
                try await self.seams.clock.sleep(for: probation)
            } catch {
                return
            }
            self.suspects.outlived(claim)
            self.signal(.timer)
        }
    }

    /// Publishes transfers that failed because their process died, found now or when the engine was opened.
    func tellOfTheDead() async {
        for transfer in await ownership.takeFailures() { hub.publish(transfer) }
    }

    /// Stops running transfers for a suspect that has waited long enough to run alone.
    func makeRoomForSuspects(_ owner: OwnerID) async throws(StoreError) {
        let runners = runners
        // A stream could not be resumed.
        guard !runners.isEmpty, !runners.contains(where: { !$0.1.transfer.work.isInterruptible }) else {
            return
        }
        let now = seams.clock.now
        let isWaiting = try await seams.store.holdsSuspects(
            owner,
            only: configuration.scope == .followed ? hub.unsettled : nil,
            heldBack: networkWaits.heldHosts,
            at: now
        )
        guard suspects.note(isWaiting: isWaiting, at: now) else { return }
        for (_, runner) in runners { runner.ask(.release) }
    }
}
