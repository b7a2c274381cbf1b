import FerryCore

/// The order between transfers.
extension StoreImage {
    /// Those of the transfers that are not completed yet, each once.
    ///
    /// - Throws: ``StoreError`` for one after which nothing can come.
    func awaited(_ ids: [TransferID]) throws(StoreError) -> [TransferID] {
        var awaited: [TransferID] = []
        for id in Set(ids).sorted() where try Transfer.isAwaited(id, in: rows[id]?.transfer.state.name) {
            awaited.append(id)
        }
        return awaited
    }

    /// Fails when a transfer would come after itself, or wait in vain.
    ///
    /// - Parameter others: what it has not come after until now.
    func checkDependencies(of transfer: Transfer, adding others: [TransferID]) throws(StoreError) {
        let cycle = transfer.refusalOfCycle(after: others) { rows[$0]?.transfer.dependencies ?? [] }
        let vain = transfer.refusalOfVainWait { rows[$0]?.transfer.state.name }
        if let refusal = cycle ?? vain { throw refusal }
    }

    /// A transfer has ended: those that come after it are queued, or fail with all that come after them, and with what stands
    /// behind them in strict queues.
    ///
    /// - Parameter isNew: whether it was not in that state before.
    mutating func passOn(_ ended: Transfer, isNew: Bool) {
        guard let failure = ended.failureOfDependents else {
            for id in dependents(of: ended.id) {
                guard var transfer = rows[id]?.transfer else { continue }
                _ = transfer.dependencyCompleted(ended.id, at: ended.updated)
                store(&transfer)
            }
            return
        }
        var ends = [(ended, failure)]
        while let (end, failure) = ends.popLast() {
            for id in dependents(of: end.id) {
                guard var transfer = rows[id]?.transfer,
                    transfer.dependencyFailed(failure, at: ended.updated)
                else { continue }
                store(&transfer)
                ends.append((transfer, failure))
            }
            guard isNew || end.id != ended.id else { continue }
            for var transfer in failBehind(end, at: ended.updated) {
                store(&transfer)
                if let failure = transfer.failureOfDependents { ends.append((transfer, failure)) }
            }
        }
    }

    /// Those that stand behind a transfer which has failed, in a strict queue, as they are when they have failed with it.
    private func failBehind(_ head: Transfer, at now: Instant) -> [Transfer] {
        guard case .failed(let failure) = head.state, let queue = queues[head.queue],
            queue.order == .strict, queue.onFailure == .fail, let place = rows[head.id]?.candidate.place
        else { return [] }
        let consequence = Transfer.failureBehind(head.id, in: head.queue, failure)
        return rows.values.filter { $0.transfer.queue == head.queue && place < $0.candidate.place }
            .sorted { $0.candidate.place < $1.candidate.place }
            .compactMap { row in
                var transfer = row.transfer
                return transfer.headFailed(consequence, at: now) ? transfer : nil
            }
    }

    /// For each strict queue those that alone may run.
    var fronts: [String: [TransferID]] {
        queues.filter { $0.value.order == .strict }.mapValues { queue in
            let transfers = rows.values.filter { $0.transfer.queue == queue.name }
            return queue.front(of: transfers.map { ($0.candidate.place, $0.transfer.state) })
        }
    }

    /// For each strict queue that is held the transfer that stands first.
    var holders: [String: TransferID] {
        fronts.compactMapValues { front in
            let moves = front.contains { id in
                rows[id]?.transfer.state.movesItsLine ?? false
            }
            return moves ? nil : front.first
        }
    }
}
