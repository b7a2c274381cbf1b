/// The order between transfers: those that come after others, and those that are behind others in a strict queue.
extension TransferRows {
    /// The transfers that are not completed yet, without duplicates.
    ///
    /// - Throws: ``StoreError`` for a transfer that nothing can come after.
    package func awaited(_ ids: [TransferID]) throws -> [TransferID] {
        try Set(ids).sorted().filter { id in
            try Transfer.isAwaited(id, in: stateName(of: id), failure: { try failure(of: id) })
        }
    }

    /// Why a transfer has failed; `nil` for any other, and for one that cannot be read.
    private func failure(of id: TransferID) throws -> TransferFailure? {
        do {
            guard case .failed(let failure)? = try row(id)?.transfer.state else { return nil }
            return failure
        } catch let error as StoreError {
            guard error.damage != nil else { throw error }
            return nil
        }
    }

    /// Throws when a transfer would come after itself, or wait forever.
    ///
    /// - Parameter others: the dependencies that are new.
    package func checkDependencies(of row: Stored, adding others: [TransferID]) throws {
        let transfer = row.transfer
        let cycle = try transfer.refusalOfCycle(after: others) { id throws(any Error) in
            try dependencies(of: id)
        }
        let vain = try transfer.refusalOfVainWait(since: row.former) { id throws(any Error) in
            try stateName(of: id)
        } failure: { id throws(any Error) in
            try failure(of: id)
        }
        if let refusal = cycle ?? vain { throw refusal }
    }

    /// Passes on the end of a transfer. The transfers after it are queued, or fail together with all that come after
    /// them and all behind them in strict queues.
    ///
    /// - Parameter isNew: whether the transfer was in another state before.
    package func passOn(_ ended: Transfer, isNew: Bool) throws {
        guard let failure = ended.failureOfDependents else {
            try giveValues(of: ended)
            for id in try release(dependentsOf: ended.id) {
                guard var row = try dependentRow(id) else { continue }
                if row.transfer.dependencyCompleted(ended.id, at: ended.updated) { try store(row) }
            }
            return
        }
        var ends = [End(id: ended.id, state: ended.state, failure: failure)]
        // A loop, not recursion: a chain may have any length.
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

    /// Gives the values of a completed request to the transfers that need them. They get them in the commit that completes
    /// it, so that its response is no longer needed.
    private func giveValues(of completed: Transfer) throws {
        guard completed.work.hasResponse else { return }
        var ids = try takers(of: completed.id)[...]
        // The response is read once for many of them, but their bodies do not fill the memory.
        while !ids.isEmpty {
            let rows = try ids.prefix(32).compactMap(dependentRow)
            ids = ids.dropFirst(32)
            let values = completed.values(for: rows.map(\.transfer))
            for var row in rows {
                row.transfer.work.take(values)
                try store(row)
            }
        }
    }

    /// Fails the transfers behind a failed one in a strict queue.
    ///
    /// - Returns: the failed ones that others come after.
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

    /// The row of a transfer that comes after others. Sets a damaged one aside, and deletes the dependencies of one that
    /// does not exist.
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

/// A transfer whose end affects others.
private struct End {
    var id: TransferID
    var state: TransferState
    /// The failure of the transfers that come after it.
    var failure: TransferFailure
    /// Whether all transfers behind it have already failed.
    var isBehind = false
}
