import FerryCore
import GRDB

extension StoreTransaction {
    /// Repairs what blocks transfers: unreadable rows of owners and queues, and contradictions that another
    /// program has left.
    ///
    /// - Returns: what was wrong and how it was repaired, in words.
    func mendRecords() throws -> [String] {
        let view = self.view
        let owners = try view.damagedOwners().map { damaged in
            try free(damaged.id)
            return "\(damaged.problem); its transfers are queued again"
        }
        let queues = try view.damagedQueues().map { damaged in
            try replace(StoreView.unreadable(damaged.name))
            try DerivedTables(db: db).label()
            return "\(damaged.problem); it has the default settings again, and is paused"
        }
        return try owners + queues + mendContradictions(view)
    }

    private func mendContradictions(_ view: StoreView) throws -> [String] {
        let found = try view.contradictions()
        for contradiction in found {
            let id = contradiction.transfer
            switch contradiction.kind {
            case .columns:
                if let row = try undamagedRow(id) { try store(row) }
            case .dependentMissing:
                try forgetDependencies(of: id)
            case .workMissing:
                try delete(id)
            case .placeMissing:
                try BareStatement(Self.placing, on: db).execute { $0.add(id.rawValue) }
                noteState(from: nil, to: .paused)
                if let row = try undamagedRow(id) { try store(row) }
            case .overAndNot:
                try removePlace(of: id)
            case .nothingAwaited:
                guard var row = try undamagedRow(id) else { continue }
                // Its own number is included, to queue a transfer that waits for nothing.
                for other in row.transfer.dependencies + [id] {
                    _ = row.transfer.dependencyCompleted(other, at: row.transfer.updated)
                }
                try store(row)
            case .identity:
                if let row = try undamagedRow(id) { try identify(row.transfer) }
            case .uuid:
                if let row = try undamagedRow(id) { try rename(row.transfer) }
            }
        }
        return found.map(\.problem)
    }

    /// Deletes its row in `transfer`, because a completed or cancelled transfer never runs again (I8).
    private func removePlace(of id: TransferID) throws {
        try setAside(id)
        noteState(from: try stateName(of: id), to: nil)
        try BareStatement("DELETE FROM transfer WHERE id = ?", on: db).execute { $0.add(id.rawValue) }
    }

    private static let placing = """
        INSERT INTO transfer (id, queue, priority, host, state, runnable, updated, lined)
        SELECT id, '\(NewTransfer.defaultQueue)', 0, '', 'paused', 0, added, added FROM work WHERE id = ?
        """

    /// Removes an owner with an unreadable row. If it is alive, its later writes are refused (I4).
    private func free(_ owner: OwnerID) throws {
        _ = try freeHeld(by: owner, upTo: -1)
        try delete(owner)
    }

    /// Frees the transfers of owners that do not exist.
    ///
    /// - Returns: whether none are left.
    func freeOrphans() throws -> Bool {
        var rest = Self.portion
        for owner in try Int64.fetchAll(db.cachedStatement(sql: Self.missingOwners)) where rest > 0 {
            rest -= try freeHeld(by: OwnerID(rawValue: owner), upTo: rest)
        }
        try recordHeads()
        return rest > 0
    }

    private func freeHeld(by owner: OwnerID, upTo limit: Int) throws -> Int {
        let held = try held(by: owner, upTo: limit)
        for id in held { try free(id, after: .left) { $0.updated } }
        return held.count
    }

    /// The owners that hold a transfer and do not exist. Each owner costs one index step.
    static let missingOwners = """
        WITH RECURSIVE holder (id) AS (
            SELECT min(owner) FROM transfer WHERE owner IS NOT NULL
            UNION ALL
            SELECT (SELECT min(owner) FROM transfer WHERE owner > holder.id) FROM holder WHERE holder.id IS NOT NULL
        )
        SELECT id FROM holder WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM owner)
        """
}
