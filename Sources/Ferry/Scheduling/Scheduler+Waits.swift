import FerryCore

/// The ends of waits that depend on no clock.
extension Scheduler {
    /// Reacts to changes of the network, until the task is cancelled.
    func watchNetwork() async {
        for await change in seams.network.changes() {
            await network.react(to: change)
            networkWaits.look()
        }
    }

    /// Ends the waits for the network whenever `looks` has an element, until the task is cancelled.
    func endWaitsForNetwork(_ owner: OwnerID, when looks: AsyncStream<Void>) async {
        do throws(StoreError) {
            try await networkWaits.run(for: owner, when: looks) { self.signal(.timer) }
        } catch {
            fail(error)
        }
    }

    /// Claims transfers that can run, except those for hosts without a route.
    func claim(
        upTo limit: Int,
        only: Set<TransferID>?,
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        let heldBack = networkWaits.heldHosts
        return try await seams.store.claim(
            upTo: limit,
            only: only,
            heldBack: heldBack,
            for: owner,
            at: now
        )
    }

    /// Queues transfers that waited for space on a disk that has enough now. An engine that only follows leaves this
    /// to the person that it has told.
    func endWaitsForSpace() async throws(StoreError) {
        guard configuration.scope != .followed else { return }
        try await spaceWaits.end(with: seams) { self.hub.publish($0) }
    }

    /// Looks at the network while transfers of this store wait for it, in any process. Also looks at intervals, in
    /// case a change was not reported.
    func lookAtNetwork() async throws(StoreError) {
        var isDue = networkWaits.isLookDue
        if !isDue, configuration.scope != .followed {
            let offline = TransferFilter.waiting(WaitCondition.network.name)
            isDue = try await !seams.store.transfers(offline, after: nil, limit: 1).isEmpty
        }
        if isDue { networkWaits.look() }
    }
}
