package import FerryCore

extension MemoryTransferStore {
    /// The queues that were ever changed and those in which a transfer runs or could run, by name.
    package func queues() async throws(StoreError) -> [QueueSummary] {
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
    package func changedQueues() async throws(StoreError) -> [TransferQueue] {
        try read { $0.queues.values.sorted { $0.name < $1.name } }
    }

    /// The queue with a name; a queue that was never changed is as ``TransferQueue/init(_:)`` creates it.
    package func queue(named name: String) async throws(StoreError) -> TransferQueue {
        try read { $0.queues[name] ?? TransferQueue(name) }
    }

    /// Changes a queue.
    package func edit(
        queue name: String,
        _ edit: QueueEdit,
        at now: Instant
    ) async throws(StoreError) -> TransferQueue {
        try write(.power) { try $0.edit(queue: name, edit, at: now) }
    }

    /// Forgets the changes to a queue.
    package func remove(queue name: String) async throws(StoreError) -> Bool {
        try write(.power) { try $0.remove(queue: name) }
    }

    /// The number of running transfers by queue and host.
    package func runningCounts() async throws(StoreError) -> [RunningCount] {
        try read { image in
            image.rows.values.map(\.transfer).filter { $0.state == .active }.map { transfer in
                RunningCount(queue: transfer.queue, host: transfer.work.host, count: 1)
            }
        }
    }

    /// The transfers that no owner holds, and whose residue is removed by others than the canceller.
    package func residues(
        for remover: ResidueRemover,
        after last: TransferID?,
        limit: Int
    ) async throws(StoreError) -> [TransferID] {
        if remover == .anyProcess { noteResidueLook() }
        return try read { image in
            let left = image.rows.values.map(\.transfer).filter { transfer in
                transfer.remover == remover && transfer.claim == nil && last.map { transfer.id > $0 } ?? true
            }
            return Array(left.map(\.id).sorted().prefix(limit))
        }
    }

    /// Notes what has become of residues.
    package func settleResidues(of ids: [TransferID], as fate: ResidueFate) async throws(StoreError) {
        try write(.process) { try $0.settleResidues(of: ids, as: fate) }
    }

    /// Whether `owner` could claim a suspect if it ran nothing.
    package func holdsSuspects(
        _ owner: OwnerID,
        only: TransferIDSet?,
        heldBack: HeldBack,
        at now: Instant
    ) async throws(StoreError) -> Bool {
        try read { image in
            var image = image
            let suspects = image.rows.values.filter { row in
                row.transfer.isSuspect && row.transfer.isClaimable(by: owner, at: now)
                    && only?.contains(row.transfer.id) != false && !heldBack.holdsInBackground(row.transfer)
            }
            // An owner that keeps a queue full would otherwise never see a suspect in it, which must run
            // alone.
            let drawn = image.draw(
                upTo: 1,
                from: suspects.map(\.candidate),
                heldBack: heldBack.hosts,
                leavingOut: owner,
                at: now
            )
            return !drawn.isEmpty
        }
    }

    /// Whether a transfer waits only for a free slot in a queue that is not paused, or for a route to its host.
    package func waitsForRoom(_ owner: OwnerID, at now: Instant) async throws(StoreError) -> Bool {
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
    /// The candidates that a claim takes, in order. The transfers that the owner `leftOut` runs do not count.
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
}
