import FerryCore

/// Reads the rows that observers of this engine look at, and that other processes may change.
struct WatchedRows: Sendable {
    /// Why rows are read.
    enum Reason: Sendable {
        /// The store has changed.
        case change
        /// It is time.
        case interval
        /// Observers have just asked.
        case request
    }

    /// Maximum watched rows that are all read at every change of the store.
    static let eagerReadLimit = 100
    /// Maximum rows read in one round of the loop.
    static let readLimit = 1_000

    let seams: EngineSeams
    let hub: UpdateHub
    /// A transfer as observers of this engine see it.
    let seen: @Sendable (Transfer) -> Transfer
    /// Changes rows that must not stay unchanged; returns whether it changed any.
    let adjust: @Sendable ([Transfer]) async throws(StoreError) -> Bool

    /// Reads the rows that observers have just asked for, and those that may have changed. Very many rows are read in
    /// parts, at intervals.
    ///
    /// - Returns: whether rows are left that observers ask for.
    func read(for reasons: [Reason]) async throws(StoreError) -> Bool {
        let reading: UpdateHub.Reading
        if reasons.contains(.change), !hub.watchesMore(than: Self.eagerReadLimit) {
            reading = .all
        } else if reasons.contains(.interval) {
            reading = .some
        } else if reasons.contains(.request) {
            reading = .asked
        } else {
            return false
        }
        try await read(hub.beginReading(upTo: Self.readLimit, reading))
        return hub.isAnybodyAsking
    }

    /// Delivers the present states that slow observers have not got yet, when the engine ends.
    func readTheRest() async throws(StoreError) {
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

    /// The rows, after ``adjust`` has changed some.
    private func rows(_ ids: [TransferID]) async throws(StoreError) -> [Transfer?] {
        let rows = try await seams.store.transfers(ids)
        guard try await adjust(rows.compactMap(\.self)) else { return rows }
        // Another process may have changed them too.
        return try await seams.store.transfers(ids)
    }
}
