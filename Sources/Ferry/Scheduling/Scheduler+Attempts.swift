import FerryCore
import Logging

/// Attempts: which ones start, and what they came to.
extension Scheduler {
    /// Claims transfers for all free slots.
    ///
    /// With a pause between attempts, one runs at a time, and the loop is woken when the pause is over.
    ///
    /// - Returns: the moment at which no more could be claimed; `nil` when no slot is free, or before the
    ///   end of a pause.
    func fillSlots(
        _ owner: OwnerID,
        in group: inout DiscardingTaskGroup
    ) async throws(StoreError) -> Instant? {
        let pause = configuration.pauseBetweenAttempts
        let most = pause > .zero ? 1 : seams.descriptors.mostTransfers
        while true {
            let (running, free) = attempts.room(most: most)
            let now = seams.clock.now
            guard free > 0, !suspects.holdsBack(isIdle: running == 0) else { return nil }
            var only: TransferIDSet?
            if configuration.scope == .followed {
                // Running transfers are among them, and cannot be claimed.
                let wanted = hub.unsettled
                guard wanted.count > running else { return now }
                only = wanted
            }
            if let end = attempts.endOfPause(pause, at: now) {
                guard try await mayClaimLater(owner) else { return now }
                note(.claims, for: end)
                return nil
            }
            let claimed = try await claim(upTo: free, only: only, for: owner, at: now)
            for transfer in claimed { start(transfer, in: &group) }
            if claimed.count < free { return now }
        }
    }

    /// Whether a transfer may be left to claim after a pause. An engine that runs all transfers until none
    /// is left would otherwise wait once more after the last one.
    private func mayClaimLater(_ owner: OwnerID) async throws(StoreError) -> Bool {
        guard configuration.scope == .everything(untilDrained: true) else { return true }
        if try await seams.store.counts()[.queued] ?? 0 > 0 { return true }
        return try await seams.store.nextWakeTime(for: owner) != nil
    }

    private func start(_ transfer: Transfer, in group: inout DiscardingTaskGroup) {
        guard let claim = transfer.claim else { return }
        if let failure = transfer.work.failureInOtherProcess, !hub.follows(transfer.id) {
            // Output meant for another process must not go to this standard output.
            group.addTask { await self.giveUp(transfer, claim, failure) }
            return
        }
        let runner = runner(for: transfer, claim)
        attempts.begin(runner)
        if transfer.isSuspect { watch(suspect: transfer, claim, in: &group) }
        hub.publish(transfer)
        watchWindow(of: runner, transfer.work.terms.window)
        group.addTask {
            let report = await runner.run()
            await self.settle(runner, report)
        }
    }

    /// Notes that an attempt has all that it needs of the network. The next attempt need not wait until that is durable and
    /// recorded: this is done in groups, and goes faster the larger the group is.
    ///
    /// - Parameter isSmall: whether it has a small file.
    func noteFinishing(_ id: TransferID, isSmall: Bool = false) {
        attempts.noteFinishing(id, isSmall: isSmall)
        signal(.attemptEnded)
    }

    /// Records the result of an attempt, and wakes the loop.
    private func settle(_ runner: any AttemptRunner, _ report: AttemptReport) async {
        let id = runner.transfer.id
        var failure: StoreError?
        switch report {
        case .finished(let outcome, let progress):
            do {
                let transfer = try await settle(runner, outcome, progress)
                if transfer.state == .waiting(.network) { await networkWaits.hold(behind: transfer) }
                switch transfer.state {
                case .waiting(.diskSpace), .waiting(.diskMount): diskWaits.expectChange()
                default: break
                }
                // Rows that failed with it are read again, if a caller follows them.
                if transfer.failureOfDependents != nil { signal(.storeChanged) }
                if transfer.type != nil, transfer.state.isFinal { handlers.look() }
                // A cancel may come too late for the attempt and take effect in the row. A body is not needed any more.
                if transfer.state.name.isOver {
                    await seams.client.removeLeftover(of: transfer, logger: configuration.logger)
                }
                // An entry of a pool may have waited for the upload of its file, and a new one may leave others no room.
                if transfer.state == .completed, transfer.work.uploadedFile != nil || transfer.bringsEntry {
                    try await PoolFiles(seams.client, configuration.logger).deleteLeaving()
                }
                // The server could not be reached, or the cancel came too late for the attempt.
                if transfer.remover == .anyEngine { residues.look() }
                if let notAfter = transfer.work.terms.notAfter { note(.deadlines, for: notAfter) }
                if transfer.state.isFinal { await streams.close(id) }
                metrics.count(transfer.state)
                metrics.count(receivedBytes: progress.received - runner.transfer.work.received)
                // Noted before the row is published: a transfer about which the application is asked does not wait for a
                // person.
                refresher.note(transfer)
                resolver.note(transfer)
                try await tellEnd(of: runner, transfer)
                // The route may have come back before the row was written.
                if transfer.state == .waiting(.network) { networkWaits.look() }
            } catch .claimLost {
                noteLostClaim(on: id)
            } catch {
                failure = error
            }
        case .claimLost:
            names.giveBack(of: id)
            noteLostClaim(on: id)
        case .storeFailed(let error):
            names.giveBack(of: id)
            failure = error
        }
        hub.detach(runner.meter, from: id)
        if let failure { fail(failure) }
        if attempts.end(runner, at: seams.clock.now) {
            windows.forget(id)
            suspects.ended(id)
        }
        signal(.attemptEnded)
    }

    private func settle(
        _ runner: any AttemptRunner,
        _ outcome: AttemptOutcome,
        _ progress: WorkProgress
    ) async throws(StoreError) -> Transfer {
        // Not before the row says whose the file is; and at once then, as the transfer may be claimed again.
        defer { names.giveBack(of: runner.transfer.id) }
        let now = seams.clock.now
        var random = seams.random
        let stopPolicy = stopPolicy
        let mayHold = configuration.scope == .followed && stopPolicy == nil
        var settlement = Settlement(
            of: runner.transfer,
            after: outcome,
            progress: progress,
            keepsHold: mayHold && !gate.releases(runner.transfer),
            at: now,
            using: &random
        )
        // A person's pause is in the row as a wish, and takes effect there when the attempt is settled. A pause that
        // was withdrawn meanwhile has no effect.
        settlement.isLeft = stopPolicy == .pause && runner.transfer.work.isInterruptible
        settlement.asked = runner.askedURL
        return try await record(settlement, of: runner, at: now)
    }

    /// Records a settlement. While the disk is full, an answer that would be lost is kept until there is room or the engine
    /// is stopped.
    private func record(
        _ settlement: Settlement,
        of runner: any AttemptRunner,
        at now: Instant
    ) async throws(StoreError) -> Transfer {
        var isTold = false
        while true {
            do throws(StoreError) {
                return try await seams.store.settle(runner.claim, as: settlement, at: now)
            } catch {
                var work = runner.transfer.work
                work.progress = settlement.progress
                guard case .writeFailed(_, _, isDiskFull: true) = error, let status = work.onlyAnswer else {
                    throw error
                }
                let metadata: Logger.Metadata = ["transfer": "\(runner.transfer.id)", "status": "\(status)"]
                if !isTold {
                    configuration.logger.error(
                        "A request was answered, and the answer is not recorded yet, because the disk of the store is full. Free some space.",
                        metadata: metadata
                    )
                }
                isTold = true
                guard !isStopping, await seams.clock.hasSlept(for: Self.roomInterval) else {
                    configuration.logger.error(
                        "The answer was not recorded. When there is space, say that the request was sent.",
                        metadata: metadata
                    )
                    throw error
                }
            }
        }
    }

    /// Interval at which it is tried again to record an answer.
    private static let roomInterval: Duration = .seconds(1)

    /// Logs that a result is not recorded, because another owner has the transfer.
    func noteLostClaim(on id: TransferID) {
        configuration.logger.notice("Another owner has taken over.", metadata: ["transfer": "\(id)"])
    }

    /// Publishes the end of an attempt, and the transfers that failed with it: those that come after it, or stand behind it
    /// in a strict queue. These have no attempt that publishes them.
    func tellEnd(of runner: any AttemptRunner, _ ended: Transfer) async throws(StoreError) {
        hub.publish(endOf: runner.meter, seen(ended))
        try await tellFailures(with: [ended])
    }

    /// Publishes the transfers that failed with others, which are published already.
    func tellFailures(with published: [Transfer]) async throws(StoreError) {
        var ends = published.filter { $0.failureOfDependents != nil }
        var told = Set(published.map(\.id))
        var queues: Set<String> = []
        while let end = ends.popLast() {
            // A damaged row is skipped.
            var others = try await seams.store.transfers(seams.store.dependents(of: end.id)).compactMap(
                \.self
            )
            if queues.insert(end.queue).inserted { others += try await failedInLine(of: end) }
            for other in others where other.finished == end.finished && other.state.isFailed {
                guard told.insert(other.id).inserted else { continue }
                hub.publish(other)
                ends.append(other)
            }
        }
    }

    /// The failed transfers of a queue in which those behind a failed one fail with it. An engine that only runs given
    /// transfers does not tell of the others in their queue.
    private func failedInLine(of ended: Transfer) async throws(StoreError) -> [Transfer] {
        guard configuration.scope != .followed else { return [] }
        let queue = try await seams.store.queue(named: ended.queue)
        guard queue.order == .strict, queue.onFailure == .fail else { return [] }
        let filter = TransferFilter.state(.failed).of(queue: queue.name)
        var failed: [Transfer] = []
        var last: TransferID?
        while true {
            let page = try await seams.store.transfers(filter, after: last, limit: WatchedRows.readLimit)
            failed += page.filter { $0.finished == ended.finished }
            guard page.count == WatchedRows.readLimit else { return failed }
            last = page.last?.id
        }
    }

    /// Fails a transfer that only another process can run, because that process is gone.
    private func giveUp(_ transfer: Transfer, _ claim: Claim, _ failure: TransferFailure) async {
        let settlement = Settlement(.failed(failure), progress: transfer.work.progress, failure: failure)
        do throws(StoreError) {
            let ended = try await seams.store.settle(claim, as: settlement, at: seams.clock.now)
            hub.publish(ended)
            try await tellFailures(with: [ended])
        } catch .claimLost {
            noteLostClaim(on: transfer.id)
        } catch {
            fail(error)
        }
        signal(.attemptEnded)
    }

    /// Asks the running attempts to end that must not run in the background. Then frees such transfers that wait here.
    func letGo(of runners: [any AttemptRunner], heldBy owner: OwnerID) async throws(StoreError) {
        let moves = gate.moves
        // A stream's reader does not follow it to another process.
        let others = runners.filter { $0.transfer.work.isInterruptible && gate.releases($0.transfer) }
        for runner in others { runner.ask(.release) }
        guard others.isEmpty else { return }
        if !gate.isQuiet {
            for page in hub.unsettled.sorted().pages {
                var ids = page
                if !gate.letsGo {
                    let transfers = try await seams.store.transfers(ids).compactMap(\.self)
                    ids = transfers.filter(gate.releases).map(\.id)
                }
                try await seams.store.letGo(ids, by: owner)
            }
        }
        gate.becameQuiet(since: moves)
    }

    /// Frees transfers that this engine holds, does not run and must not start now, because they were added, edited or taken
    /// up after it released the others.
    ///
    /// - Returns: whether there were any.
    func free(_ rows: [Transfer]) async throws(StoreError) -> Bool {
        // Rows are read all the time, and nearly always in the foreground.
        guard gate.isInBackground else { return false }
        let owner = try await join()
        let held = rows.filter { row in
            var freed = row
            return gate.releases(row) && freed.letGo(by: owner)
        }
        guard !held.isEmpty else { return false }
        try await seams.store.letGo(held.map(\.id), by: owner)
        return true
    }
}

/// The only place in the scheduler that distinguishes the kinds of work.
extension Scheduler {
    /// Makes the runner of an attempt at a transfer.
    func runner(for transfer: Transfer, _ claim: Claim) -> any AttemptRunner {
        let finishing: @Sendable () -> Void = { [weak self] in self?.noteFinishing(transfer.id) }
        let context = AttemptContext(
            transfer: transfer,
            claim: claim,
            seams: seams,
            configuration: configuration,
            hub: hub,
            network: network,
            rates: [queueRates.bucket(of: transfer.queue), rate.bucket]
        )
        switch transfer.work {
        case .download(let work):
            return DownloadRunner(
                work,
                in: context,
                streams: streams,
                hosts: hosts,
                names: names,
                finishing: { [weak self] in self?.noteFinishing(transfer.id, isSmall: $0) }
            )
        case .request(let work):
            return RequestRunner(work, in: context, credentials: credentials, finishing: finishing)
        case .upload(let work):
            return UploadRunner(work, in: context, finishing: finishing)
        }
    }
}
