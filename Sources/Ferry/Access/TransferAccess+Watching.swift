public import FerryCore

/// Watching: the progress of transfers, and their end.
extension TransferAccess {
    /// The updates of the given transfers, beginning with the present state of each.
    public func updates(of ids: Set<TransferID>) -> TransferUpdates {
        client.link?.updates(of: ids) ?? TransferUpdates(source: .store(client, ids))
    }

    /// An element whenever anything in the store may have changed, by any process.
    public func changes() -> AsyncStream<Void> {
        client.store.changes()
    }

    /// The progress of a transfer: live if an engine of this process runs it, otherwise as last recorded.
    public func progress(of id: TransferID) async throws(StoreError) -> TransferProgress {
        if let live = client.link?.hub.liveProgress(of: id) { return live }
        return try await snapshot(of: id).recordedProgress
    }

    /// The progress of a selection, for example all transfers of one queue or of one tag
    /// (``TransferFilter/of(queue:)``, ``TransferFilter/of(tag:)``). Cancelled transfers do not count.
    ///
    /// It reads each transfer of the selection, a page at a time. Call it now and then, such as once a second, not for each
    /// update.
    public func totals(of selection: TransferFilter) async throws(StoreError) -> TransferTotals {
        var totals = TransferTotals()
        for try await transfer in transfers(selection) {
            totals.add(
                transfer,
                client.link?.hub.liveProgress(of: transfer.id) ?? transfer.recordedProgress
            )
        }
        return totals
    }

    /// Waits until all transfers of a selection have ended: completed, failed or cancelled.
    ///
    /// It also waits for transfers that join the selection meanwhile.
    ///
    /// - Returns: the totals at the end.
    /// - Throws: ``StoreError``; `CancellationError` when the task is cancelled or the store is closed.
    public func finish(_ selection: TransferFilter) async throws -> TransferTotals {
        // Listens from now on, so that no change is missed between a reading and the wait.
        var changes = changes().makeAsyncIterator()
        while true {
            let totals = try await totals(of: selection)
            if totals.unfinished == 0 { return totals }
            guard await changes.next() != nil else { throw CancellationError() }
        }
    }
}
