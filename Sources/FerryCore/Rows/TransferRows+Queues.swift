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

    /// Moves a new transfer to the front of a full queue that cancels its oldest.
    package func makeRoom(in queue: TransferQueue, for addition: Addition, at now: Instant) throws {
        if case .attached = addition { return }
        let newcomer = addition.transfer
        // A transfer that cannot run yet displaces no other.
        guard queue.overflow == .cancelOldest, newcomer.isReady(at: now) else { return }
        let admission = queue.admission(
            running: try running(in: queue.name).filter { $0.wish?.makesRoom != true }.map(\.id),
            waiting: try waiting(in: queue, beside: newcomer.id, at: now)
        )
        guard case .front(let displaced) = admission else { return }
        try letGoFirst(newcomer)
        guard let displaced, var row = try undamagedRow(displaced) else { return }
        row.transfer.giveWay(to: newcomer.id, at: now)
        try write(row)
        try record([queue.name: ClaimPlan.turn(making: turn(of: queue.name), within: queue.slots)])
    }
}
