import FerryCore

/// The regular looks of the loop, and the ends of waits without a time.
extension Scheduler {
    /// Interval at which it looks for dead owners, free space, suspects and routes.
    static let lookInterval: Duration = .seconds(2)

    /// Interval at which it looks for what transfers have left that ended in other processes.
    private static let residueInterval: Duration = .seconds(30)

    /// Has the loop look at everything when it begins.
    ///
    /// An engine that only runs given transfers has looked for dead owners when it joined, which was when it got the first of
    /// them. So it starts them before it looks again.
    func noteFirstLooks() {
        for look in Agenda.Look.allCases {
            if look == .owners, configuration.scope == .followed {
                note(look, for: seams.clock.now.advanced(by: Self.lookInterval))
            } else {
                self.look(at: look)
            }
        }
    }

    /// Looks at one thing.
    ///
    /// - Returns: when to look again; `nil` when something else will ask for that.
    func carryOut(_ look: Agenda.Look, for owner: OwnerID) async throws(StoreError) -> Instant? {
        switch look {
        case .windows: return endWhatIsOutsideItsWindow()
        case .rate:
            let now = seams.clock.now
            let change = rate.look(at: now, offset: seams.clock.offset(at: now))
            // Local time may shift before the change is due.
            return change.map { min($0, now.advanced(by: Alarm.longestSleep)) }
        case .owners:
            try await ownership.keepSeat()
            try await ownership.rescueTheDead()
            await tellOfTheDead()
        case .space: try await endWaitsForDisks()
        case .suspects: try await makeRoomForSuspects(owner)
        case .network: try await lookAtNetwork()
        case .deadlines: return try await failOverdue()
        case .residues:
            residues.look()
            return seams.clock.now.advanced(by: Self.residueInterval)
        // Each round claims.
        case .claims: return nil
        }
        return seams.clock.now.advanced(by: Self.lookInterval)
    }

    /// Fails what is past its deadline, whatever it waits for.
    ///
    /// - Returns: the next deadline.
    private func failOverdue() async throws(StoreError) -> Instant? {
        let now = seams.clock.now
        let next = try await seams.store.nextDeadline()
        guard let next, next <= now else { return next }
        let failed = try await seams.store.failOverdue(at: now)
        for transfer in failed {
            refresher.note(transfer)
            resolver.note(transfer)
            await streams.close(transfer.id)
            metrics.count(transfer.state)
            hub.publish(seen(transfer))
        }
        try await tellFailures(with: failed)
        return try await seams.store.nextDeadline()
    }

    /// Lets the attempts that run look at their progress at intervals, until the task is cancelled. One timer serves
    /// them all, however short they are.
    func tick(after starts: AsyncStream<Void>) async {
        for await _ in starts {
            while attempts.count > 0 {
                guard await seams.clock.hasSlept(for: configuration.recordInterval) else { return }
                for runner in attempts.runners { runner.tick() }
            }
        }
    }

    // MARK: Windows

    /// Notes the window of an attempt, and makes the loop look if the window has changed.
    ///
    /// A stream has no window, because it cannot be resumed.
    func watchWindow(of runner: any AttemptRunner, _ window: TimeWindow) {
        guard runner.transfer.work.isInterruptible, windows.set(window, of: runner.transfer.id) else {
            return
        }
        look(at: .windows)
    }

    /// Ends attempts outside of their window, and looks again when the next window closes. The row written then says
    /// when the window opens again.
    private func endWhatIsOutsideItsWindow() -> Instant? {
        let runners = attempts.runners
        let look = windows.look(
            at: seams.clock.now,
            in: seams.clock.localTime,
            among: Set(runners.map(\.transfer.id))
        )
        for runner in runners where look.closed.contains(runner.transfer.id) { runner.ask(.release) }
        return look.next
    }

    // MARK: Network and space

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

    /// The transfers that this engine does not run now: for hosts without a route, and in the background those that run in
    /// the foreground only.
    private var heldBack: HeldBack {
        HeldBack(hosts: networkWaits.heldHosts, isInBackground: gate.isInBackground)
    }

    /// Claims transfers that can run, except those that this engine holds back.
    func claim(
        upTo limit: Int,
        only: TransferIDSet?,
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        await fetches.turnstile.enter()
        defer { fetches.turnstile.leave() }
        return try await seams.store.claim(
            upTo: limit,
            only: only,
            heldBack: heldBack,
            beside: fetches.running,
            // An attempt that first asks for credentials may send nothing.
            recordsSending: !credentials.isAvailable,
            for: owner,
            at: now
        )
    }

    /// Queues transfers whose disk has enough space, is mounted or is writable again. An engine that only follows leaves this to
    /// the person, who was told.
    private func endWaitsForDisks() async throws(StoreError) {
        guard configuration.scope != .followed else { return }
        try await diskWaits.end(with: seams) { self.hub.publish($0) }
    }

    /// Looks at the network while transfers of this store wait for it, in any process. Also looks at intervals, in
    /// case a change was not reported.
    private func lookAtNetwork() async throws(StoreError) {
        var isDue = networkWaits.isLookDue
        if !isDue, configuration.scope != .followed {
            let offline = TransferFilter.waiting(.network)
            isDue = try await !seams.store.transfers(offline, after: nil, limit: 1).isEmpty
        }
        if isDue { networkWaits.look() }
    }

    /// Removes what only engines remove of transfers that are over, until the task is cancelled.
    func removeResidues(when looks: AsyncStream<Void>) async {
        do throws(StoreError) {
            try await residues.run(when: looks) { self.signal(.timer) }
        } catch {
            fail(error)
        }
    }

    // MARK: Owners and suspects

    /// Lets other transfers start when the suspect has survived its probation.
    func watch(suspect transfer: Transfer, _ claim: Claim, in group: inout DiscardingTaskGroup) {
        suspects.began(claim)
        let probation = transfer.probation
        group.addTask {
            guard await self.seams.clock.hasSlept(for: probation) else { return }
            self.suspects.outlived(claim)
            self.signal(.timer)
        }
    }

    /// Publishes transfers that failed because their process died, found now or when the engine was opened.
    func tellOfTheDead() async {
        for transfer in await ownership.takeFailures() {
            resolver.note(transfer)
            hub.publish(seen(transfer))
        }
    }

    /// Stops running transfers for a suspect that has waited long enough to run alone.
    private func makeRoomForSuspects(_ owner: OwnerID) async throws(StoreError) {
        let runners = attempts.runners
        // A stream could not be resumed.
        guard !runners.isEmpty, runners.allSatisfy(\.transfer.work.isInterruptible) else {
            return
        }
        let now = seams.clock.now
        let isWaiting = try await seams.store.holdsSuspects(
            owner,
            only: configuration.scope == .followed ? hub.unsettled : nil,
            heldBack: heldBack,
            at: now
        )
        guard suspects.note(isWaiting: isWaiting, at: now) else { return }
        attempts.releaseAll()
    }
}
