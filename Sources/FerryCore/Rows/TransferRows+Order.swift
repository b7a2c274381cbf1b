/// The order between transfers: what comes after others, and what stands behind others in a strict queue.
extension TransferRows {
    /// Those of the transfers that are not completed yet, each once.
    ///
    /// - Throws: ``StoreError`` for one after which nothing can come.
    package func awaited(_ ids: [TransferID]) throws -> [TransferID] {
        try Set(ids).sorted().filter { try Transfer.isAwaited($0, in: stateName(of: $0)) }
    }

    /// Fails when a transfer would come after itself, or wait in vain.
    ///
    /// - Parameter others: what it has not come after until now.
    package func checkDependencies(of transfer: Transfer, adding others: [TransferID]) throws {
        let cycle = try transfer.refusalOfCycle(after: others) { id throws(any Error) in
            try dependencies(of: id)
        }
        let vain = try transfer.refusalOfVainWait { id throws(any Error) in try stateName(of: id) }
        if let refusal = cycle ?? vain { throw refusal }
    }

    /// A transfer has ended: those that come after it are queued, or fail with all that come after them, and with what stands
    /// behind them in strict queues.
    ///
    /// - Parameter isNew: whether it was not in that state before.
    package func passOn(_ ended: Transfer, isNew: Bool) throws {
        guard let failure = ended.failureOfDependents else {
            for id in try release(dependentsOf: ended.id) {
                guard var row = try dependentRow(id) else { continue }
                if row.transfer.dependencyCompleted(ended.id, at: ended.updated) { try store(row) }
            }
            return
        }
        var ends = [End(id: ended.id, state: ended.state, failure: failure)]
        // A line of any length is walked without recursion.
        while let end = ends.popLast() {
            for id in try dependents(of: end.id) {
                guard var row = try dependentRow(id),
                    row.transfer.dependencyFailed(end.failure, at: ended.updated)
                else { continue }
                let state = try store(row).state
                ends.append(End(id: id, state: state, failure: end.failure))
            }
            if isNew || end.id != ended.id { ends += try failBehind(end, at: ended.updated) }
        }
    }

    /// Lets those fail that stand behind a transfer which has failed, in a strict queue.
    ///
    /// - Returns: those of them that others come after.
    private func failBehind(_ end: End, at now: Instant) throws -> [End] {
        guard !end.isBehind, case .failed(let failure) = end.state, let line = try lineBehind(end.id) else {
            return []
        }
        let consequence = Transfer.failureBehind(end.id, in: line.queue, failure)
        return try line.ids.compactMap { id in
            guard var row = try dependentRow(id), row.transfer.headFailed(consequence, at: now) else {
                return nil
            }
            let transfer = try store(row)
            guard let failure = transfer.failureOfDependents, try !dependents(of: id).isEmpty else {
                return nil
            }
            return End(id: id, state: transfer.state, failure: failure, isBehind: true)
        }
    }

    /// The row of a transfer that comes after others. One that is damaged is set aside, and what is noted of one that does
    /// not exist is removed.
    private func dependentRow(_ id: TransferID) throws -> Stored? {
        if let row = try undamagedRow(id) { return row }
        if try stateName(of: id) == nil {
            try forgetDependencies(of: id)
        } else {
            try setAside(id)
        }
        return nil
    }
}

/// A transfer that has ended, and whose end means something for others.
private struct End {
    var id: TransferID
    var state: TransferState
    /// Why those fail that come after it.
    var failure: TransferFailure
    /// Whether all behind it have failed already.
    var isBehind = false
}
