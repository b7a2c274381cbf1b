public import FerryCore

extension MemoryTransferStore {
    /// The queues that were ever changed and those in which a transfer runs or could run, by name.
    public func queues() async throws(StoreError) -> [QueueSummary] {
        try read { image in
            var summaries = image.queues.mapValues { QueueSummary($0, running: 0, waiting: 0) }
            for transfer in image.rows.values.map(\.transfer) {
                guard transfer.state == .queued || transfer.state == .active else { continue }
                let name = transfer.queue
                var summary =
                    summaries[name] ?? QueueSummary(TransferQueue(name), running: 0, waiting: 0)
                if transfer.state == .active { summary.running += 1 } else { summary.waiting += 1 }
                summaries[name] = summary
            }
            for (name, holder) in image.holders { summaries[name]?.heldBy = holder }
            return summaries.values.sorted { $0.id < $1.id }
        }
    }

    /// The queues that were ever changed, by name.
    public func changedQueues() async throws(StoreError) -> [TransferQueue] {
        try read { $0.queues.values.sorted { $0.name < $1.name } }
    }

    /// The queue with a name; a queue that was never changed is as ``TransferQueue/init(_:)`` creates it.
    public func queue(named name: String) async throws(StoreError) -> TransferQueue {
        try read { $0.queues[name] ?? TransferQueue(name) }
    }

    /// Changes a queue.
    public func edit(
        queue name: String,
        _ edit: QueueEdit,
        at now: Instant
    ) async throws(StoreError) -> TransferQueue {
        try write { image throws(StoreError) in
            let former = image.queues[name] ?? TransferQueue(name)
            let queue = try former.applying(edit)
            image.put(queue)
            if queue.isPaused, !former.isPaused {
                for var transfer in image.running(in: name) {
                    transfer.stepBack(at: now)
                    image.put(&transfer)
                }
            }
            return (queue, .power)
        }
    }

    /// Forgets the changes to a queue.
    public func remove(queue name: String) async throws(StoreError) -> Bool {
        try write { image throws(StoreError) in
            let standing = image.rows.values.map(\.transfer).filter { $0.queue == name && !$0.state.isFinal }
            if let transfer = standing.min(by: { $0.id < $1.id }) {
                throw TransferQueue.inUse(name, by: transfer.id, transfer.state.name)
            }
            let wasChanged = image.queues[name] != nil
            image.removeQueue(name)
            return (wasChanged, .power)
        }
    }

    /// How many transfers run, apart by queue and host.
    public func runningCounts() async throws(StoreError) -> [RunningCount] {
        try read { image in
            image.rows.values.map(\.transfer).filter { $0.state == .active }.map { transfer in
                RunningCount(queue: transfer.queue, host: transfer.work.host, count: 1)
            }
        }
    }

    /// The transfers that gave way, are held by no owner, and have left a part file.
    public func displacedResidues(limit: Int) async throws(StoreError) -> [TransferID] {
        try read { image in
            let left = image.rows.values.map(\.transfer).filter { transfer in
                transfer.displacement != nil && transfer.residue != nil && transfer.claim == nil
            }
            return Array(left.map(\.id).sorted().prefix(limit))
        }
    }

    /// Notes that nothing is left any more of transfers that gave way.
    public func noteResidueRemoved(of ids: [TransferID]) async throws(StoreError) {
        try write { image throws(StoreError) in
            for id in ids {
                guard var transfer = image.rows[id]?.transfer, transfer.displacement != nil,
                    transfer.claim == nil
                else { continue }
                transfer.noteResidueRemoved()
                image.put(&transfer)
            }
            return ((), .process)
        }
    }

    /// Whether `owner` could claim a suspect if it ran nothing.
    public func holdsSuspects(
        _ owner: OwnerID,
        only: Set<TransferID>?,
        heldBack: Set<String>,
        at now: Instant
    ) async throws(StoreError) -> Bool {
        try read { image in
            var image = image
            let suspects = image.rows.values.filter { row in
                row.transfer.isSuspect && row.transfer.isClaimable(by: owner, at: now)
                    && only?.contains(row.transfer.id) != false
            }
            // An owner that keeps a queue full would otherwise never see a suspect in it, which must run
            // alone.
            let drawn = image.draw(
                upTo: 1,
                from: suspects.map(\.candidate),
                heldBack: heldBack,
                leavingOut: owner,
                at: now
            )
            return !drawn.isEmpty
        }
    }

    /// Whether a transfer waits only for room in a queue that is not paused, or for the route to its host.
    public func waitsForRoom(_ owner: OwnerID, at now: Instant) async throws(StoreError) -> Bool {
        try read { image in
            let held = image.holders
            return image.rows.values.map(\.transfer).contains { transfer in
                transfer.isClaimable(by: owner, at: now) && image.queues[transfer.queue]?.isPaused != true
                    && held[transfer.queue] == nil
            }
        }
    }
}

extension StoreImage {
    /// What a claim takes of the candidates, in order. It does not count what the owner `leftOut` runs.
    mutating func draw(
        upTo limit: Int,
        from candidates: [ClaimCandidate],
        heldBack: Set<String>,
        beside others: [RunningCount] = [],
        leavingOut leftOut: OwnerID? = nil,
        at now: Instant
    ) -> [ClaimCandidate] {
        let active = rows.values.map(\.transfer).filter { transfer in
            transfer.state == .active && (leftOut == nil || transfer.claim?.owner != leftOut)
        }
        var plan = ClaimPlan(
            queues: Array(queues.values),
            running: active.map { transfer in
                RunningCount(queue: transfer.queue, host: transfer.work.host, count: 1)
            } + others,
            turns: turns,
            heldBack: heldBack,
            at: now
        )
        var lines = ListedLines(candidates, fronts: fronts.mapValues(Set.init))
        let drawn = plan.draw(upTo: limit, from: &lines)
        for (queue, turn) in plan.newTurns.sorted(by: { $0.key < $1.key }) { put(turn: turn, of: queue) }
        return drawn
    }

    /// The running transfers of a queue.
    func running(in queue: String) -> [Transfer] {
        rows.values.map(\.transfer).filter { $0.state == .active && $0.queue == queue }.sorted {
            $0.id < $1.id
        }
    }

    /// Moves a new transfer to the front of a full queue that cancels its oldest.
    mutating func makeRoom(for newcomer: Transfer, at now: Instant) {
        noteAsked(newcomer, at: now)
        guard let queue = queues[newcomer.queue], queue.overflow == .cancelOldest,
            newcomer.isReady(at: now)
        else { return }
        let running = running(in: queue.name).filter { $0.wish?.makesRoom != true }
        let waiting = rows.values.count { row in
            row.transfer.isReady(at: now) && row.transfer.queue == queue.name
                && row.transfer.id != newcomer.id
        }
        guard case .front(let displaced) = queue.admission(running: running.map(\.id), waiting: waiting)
        else { return }
        displace(displaced, in: queue, for: newcomer, at: now)
    }

    /// A transfer was asked for, perhaps once more: in a queue that also cancels what waits it is the latest from now on, and
    /// those asked for longest ago give way to it.
    mutating func noteAsked(_ transfer: Transfer, at now: Instant) {
        guard let queue = queues[transfer.queue], queue.overflow == .cancelOldestAlsoWaiting,
            !transfer.state.isFinal
        else { return }
        let others = rows.values.filter { row in
            row.transfer.queue == queue.name && row.transfer.id != transfer.id
                && !row.transfer.state.isFinal && row.transfer.wish?.isCancel != true
        }.map { AskedTransfer($0.transfer.id, asked: $0.asked ?? $0.lined) }
        var asked = transfer
        put(&asked, asked: AskedTransfer.moment(after: others, at: now))
        guard case .front(let displaced) = queue.admission(beside: others) else { return }
        displace(displaced, in: queue, for: transfer, at: now)
    }

    /// Lets a transfer go before all that wait in its queue, and others give way to it.
    private mutating func displace(
        _ displaced: [TransferID],
        in queue: TransferQueue,
        for newcomer: Transfer,
        at now: Instant
    ) {
        if newcomer.state == .queued {
            var newcomer = newcomer
            put(&newcomer, front: LinePlace.front(newcomer.id))
        }
        for id in displaced {
            guard var transfer = rows[id]?.transfer else { continue }
            transfer.giveWay(to: newcomer.id, at: now)
            put(&transfer)
            guard transfer.state == .active else { continue }
            put(turn: ClaimPlan.turn(making: turns[queue.name], within: queue.slots), of: queue.name)
        }
    }
}
