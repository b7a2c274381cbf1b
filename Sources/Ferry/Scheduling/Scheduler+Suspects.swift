import FerryCore

/// Transfers after whose attempts their processes were dead.
extension Scheduler {
    /// Lets others begin when the suspect has lived for its time of probation.
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

    /// Tells what has failed because its process died, here or as the engine was opened.
    func tellOfTheDead() async {
        for transfer in await ownership.takeFailures() { hub.publish(transfer) }
    }

    /// Lets what runs step back for a suspect that has waited long enough to be run alone.
    func makeRoomForSuspects(_ owner: OwnerID) async throws(StoreError) {
        let runners = runners
        // A stream could not be taken up again.
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
