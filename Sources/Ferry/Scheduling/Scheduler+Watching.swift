import FerryCore

/// Rows that others may change are read again.
extension Scheduler {
    /// Up to how many watched rows are read whenever the store has changed.
    static let eagerReadLimit = 100
    /// How many rows are read in one round of the loop.
    static let readLimit = 1_000

    /// Reads the rows that somebody has just asked for, and those that may have changed; of a great many some at a time, now
    /// and then.
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
        // What can run begins in between.
        if hub.isAnybodyAsking { signal(.observed) }
    }

    /// Tells those who were too slow for it until now how things stand, as the engine ends.
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

    /// The rows, after those were gone on with that are followed here and that another process only left as it was stopped.
    private func rows(_ ids: [TransferID]) async throws(StoreError) -> [Transfer?] {
        let rows = try await seams.store.transfers(ids)
        let left = rows.compactMap { row in
            row.flatMap { $0.isLeft && hub.follows($0.id) ? $0.id : nil }
        }
        // What is in the background leaves it to others, and looks again when it is not.
        guard !left.isEmpty, !isStopping, gate.mayBegin else { return rows }
        let holder = configuration.scope == .followed ? try await join() : nil
        _ = try await seams.store.takeUp(left, holder: holder, at: seams.clock.now)
        // Others may have been at them as well.
        return try await seams.store.transfers(ids)
    }
}
