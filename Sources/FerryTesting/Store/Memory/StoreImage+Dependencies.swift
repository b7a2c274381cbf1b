import FerryCore

/// The order between transfers.
extension StoreImage {
    /// The transfers that are not completed yet, without duplicates.
    ///
    /// - Throws: ``StoreError`` for a transfer that nothing can come after.
    func awaited(_ ids: [TransferID]) throws(StoreError) -> [TransferID] {
        var awaited: [TransferID] = []
        for id in Set(ids).sorted() where try Transfer.isAwaited(id, in: rows[id]?.transfer.state.name) {
            awaited.append(id)
        }
        return awaited
    }

    /// Throws when a transfer would come after itself, or wait in vain.
    ///
    /// - Parameter others: the dependencies that are new.
    func checkDependencies(of transfer: Transfer, adding others: [TransferID]) throws(StoreError) {
        let cycle = transfer.refusalOfCycle(after: others) { rows[$0]?.transfer.dependencies ?? [] }
        let vain = transfer.refusalOfVainWait { rows[$0]?.transfer.state.name }
        if let refusal = cycle ?? vain { throw refusal }
    }

    /// Passes on the end of a transfer. Those after it are queued, or fail together with all that come after
    /// them and all behind them in strict queues.
    ///
    /// - Parameter isNew: whether the transfer was in another state before.
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

    /// The transfers behind a failed one in a strict queue, in their state after failing with it.
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

    /// The transfers of each strict queue that may run now.
    var fronts: [String: [TransferID]] {
        queues.filter { $0.value.order == .strict }.mapValues { queue in
            let transfers = rows.values.filter { $0.transfer.queue == queue.name }
            return queue.front(of: transfers.map { ($0.candidate.place, $0.transfer.state) })
        }
    }

    /// The first transfer of each strict queue that is held.
    var holders: [String: TransferID] {
        fronts.compactMapValues { front in
            let moves = front.contains { id in
                rows[id]?.transfer.state.movesItsLine ?? false
            }
            return moves ? nil : front.first
        }
    }
}
