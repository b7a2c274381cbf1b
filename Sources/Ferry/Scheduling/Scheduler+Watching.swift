import FerryCore

/// Reads rows that other processes may change.
extension Scheduler {
    /// Maximum watched rows that are all read at every change of the store.
    static let eagerReadLimit = 100
    /// Maximum rows read in one round of the loop.
    static let readLimit = 1_000

    /// Reads the rows that observers have just asked for, and those that may have changed. Very many rows are read in
    /// parts, at intervals.
    func readWatched(_ signals: Signal) async throws(StoreError) {
        let reading: UpdateHub.Reading
        if signals.contains(.storeChanged), !hub.watchesMore(than: Self.eagerReadLimit) {
            reading = .all
        } else if signals.contains(.rescue) {
            reading = .some
        } else if signals.contains(.observed) {
            reading = .asked
        } else {
            return
        }
        let ids = hub.beginReading(upTo: Self.readLimit, reading)
        try await read(ids)
        // Transfers that can run start in between.
        if hub.isAnybodyAsking { signal(.observed) }
    }

    /// Delivers the present states that slow observers have not got yet, when the engine ends.
    func tellTheRest() async throws(StoreError) {
        while true {
            let ids = hub.beginReading(upTo: Self.readLimit, .asked, isLast: true)
            guard !ids.isEmpty else { return }
            try await read(ids)
        }
    }

    private func read(_ ids: [TransferID]) async throws(StoreError) {
        for page in ids.pages {
            for (id, row) in zip(page, try await rows(page)) {
                if let row { hub.take(read: seen(row)) } else { hub.forget(id) }
            }
        }
    }

    /// The rows. Followed transfers that another process released when it was stopped are taken up first.
    private func rows(_ ids: [TransferID]) async throws(StoreError) -> [Transfer?] {
        let rows = try await seams.store.transfers(ids)
        let left = rows.compactMap { row in
            row.flatMap { $0.isLeft && hub.follows($0.id) ? $0.id : nil }
        }
        // An engine in the background leaves them to others, and looks again in the foreground.
        guard !left.isEmpty, !isStopping, gate.mayBegin else { return rows }
        let holder = configuration.scope == .followed ? try await join() : nil
        _ = try await seams.store.takeUp(left, holder: holder, at: seams.clock.now)
        // Another process may have changed them too.
        return try await seams.store.transfers(ids)
    }
}
