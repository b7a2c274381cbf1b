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

    /// A transfer has ended: those that come after it are queued, or fail with all that come after them.
    mutating func passOn(_ ended: Transfer) {
        guard let failure = ended.failureOfDependents else {
            for id in dependents(of: ended.id) {
                guard var transfer = rows[id]?.transfer else { continue }
                _ = transfer.dependencyCompleted(ended.id, at: ended.updated)
                store(&transfer)
            }
            return
        }
        var ends = [ended.id]
        while let end = ends.popLast() {
            for id in dependents(of: end) {
                guard var transfer = rows[id]?.transfer,
                    transfer.dependencyFailed(failure, at: ended.updated)
                else { continue }
                store(&transfer)
                ends.append(id)
            }
        }
    }
}
