/// Changes of queues, and their effect on transfers.
extension TransferRows {
    /// Changes a queue; returns the new queue.
    package func edit(queue name: String, _ edit: QueueEdit, at now: Instant) throws -> TransferQueue {
        let former = try queue(named: name)
        let queue = try former.applying(edit)
        try replace(queue)
        guard queue.isPaused, !former.isPaused else { return queue }
        for (id, _) in try running(in: name) {
            guard var row = try undamagedRow(id) else { continue }
            row.transfer.stepBack(at: now)
            try write(row)
        }
        return queue
    }

    /// Forgets the changes to a queue; returns whether there were any.
    package func remove(queue name: String) throws -> Bool {
        if let (id, state) = try unfinished(in: name) { throw TransferQueue.inUse(name, by: id, state) }
        return try deleteQueue(named: name)
    }

    /// Puts an added transfer before all that wait in a full queue that cancels its oldest, and lets others give way to
    /// it.
    ///
    /// - Parameter new: the requested transfer.
    package func makeRoom(
        in queue: TransferQueue,
        for addition: Addition,
        of new: NewTransfer,
        at now: Instant
    ) throws {
        let newcomer = addition.transfer
        if queue.overflow == .cancelOldestAlsoWaiting {
            if !addition.isRepetition(of: new) { try noteAsked(newcomer, in: queue, at: now) }
            return
        }
        if case .attached = addition { return }
        // A transfer that cannot run yet displaces no other.
        guard queue.overflow == .cancelOldest, newcomer.isReady(at: now) else { return }
        let admission = queue.admission(
            running: try running(in: queue.name).filter { $0.wish?.makesRoom != true }.map(\.id),
            waiting: try waiting(in: queue, beside: newcomer.id, at: now)
        )
        guard case .front(let displaced) = admission else { return }
        try displace(displaced, in: queue, for: newcomer, at: now)
    }

    /// A transfer was asked for, perhaps once more. In a queue that also cancels waiting ones, it is the latest from
    /// now on, and those that were asked for longest ago give way to it.
    package func noteAsked(_ transfer: Transfer, at now: Instant) throws {
        try noteAsked(transfer, in: queue(named: transfer.queue), at: now)
    }

    private func noteAsked(_ transfer: Transfer, in queue: TransferQueue, at now: Instant) throws {
        guard queue.overflow == .cancelOldestAlsoWaiting, !transfer.state.isFinal else { return }
        let others = try asked(in: queue).filter { $0.id != transfer.id }
        try noteAsked(transfer.id, at: AskedTransfer.moment(after: others, at: now))
        guard case .front(let displaced) = queue.admission(beside: others) else { return }
        try displace(displaced, in: queue, for: transfer, at: now)
    }

    /// Puts a transfer before all that wait in its queue, and lets others give way to it.
    private func displace(
        _ displaced: [TransferID],
        in queue: TransferQueue,
        for newcomer: Transfer,
        at now: Instant
    ) throws {
        let evenPaused = queue.overflow == .cancelOldestAlsoWaiting
        if newcomer.state == .queued { try letGoFirst(newcomer) }
        for id in displaced {
            guard var row = try undamagedRow(id) else { continue }
            row.transfer.giveWay(to: newcomer.id, evenPaused: evenPaused, at: now)
            try write(row)
            guard row.transfer.state == .active else { continue }
            try record([queue.name: ClaimPlan.turn(making: turn(of: queue.name), within: queue.slots)])
        }
    }

    /// Notes what has become of residues that no canceller removes. The note need not survive power loss: without it, the
    /// removal is repeated and finds nothing.
    package func settleResidues(of ids: [TransferID], as fate: ResidueFate) throws {
        for id in ids {
            guard var row = try undamagedRow(id), row.transfer.claim == nil,
                [.anyProcess, .anyEngine].contains(row.transfer.remover)
            else { continue }
            row.transfer.settleResidue(as: fate)
            // Its state was already final, so the transfers that come after it are not affected.
            try put(row, request: false)
        }
    }
}

extension Addition {
    /// Whether the same transfer was added before, under the UUID that the application gave it.
    fileprivate func isRepetition(of new: NewTransfer) -> Bool {
        if case .attached(let known) = self { known.uuid == new.uuid } else { false }
    }
}
