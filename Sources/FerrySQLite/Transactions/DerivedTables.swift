import FerryCore
import GRDB

/// Data derived from the transfers: the first transfer of each line, the number of transfers in each state, the column
/// `strict` of each transfer, and the latest number of all. It can be rebuilt at any time.
///
/// Each transaction maintains it. So only another program can make it wrong: a person with an SQLite shell,
/// or an older Ferry that was running when the tables were created.
struct DerivedTables {
    /// A connection.
    let db: Database

    /// The number of rows of each kind that an opening checks.
    static let glance = 64

    /// Whether nothing seems wrong. It reads little, so every opening can call it.
    func seemRight() throws -> Bool {
        let kept = try kept()
        if kept.contains(where: { $0.value < 0 }) { return false }
        for state in TransferState.Name.allCases where state != .queued {
            let real = try Int.fetchOne(db, sql: Self.someOf(state), arguments: [Self.glance])
            if real != min(kept[state.rawValue] ?? 0, Self.glance) { return false }
        }
        if try !queuedSeemRight(kept[TransferState.Name.queued.rawValue] ?? 0) { return false }
        if try numberFault() != nil { return false }
        for sql in [Self.forgottenAtAGlance, Self.staleAtAGlance] {
            if try Bool.fetchOne(db, sql: sql, arguments: [Self.glance]) == true { return false }
        }
        return true
    }

    /// Whether that number may be queued. It compares with the runnable transfers: all queued ones, and few others.
    private func queuedSeemRight(_ kept: Int) throws -> Bool {
        let states = try String.fetchAll(db, sql: Self.someRunnable, arguments: [Self.glance])
        let queued = states.count { $0 == TransferState.Name.queued.rawValue }
        return states.count < Self.glance ? queued == kept : queued <= kept
    }

    private static let someRunnable =
        "SELECT state FROM transfer INDEXED BY transfer_line WHERE runnable = 1 LIMIT ?"

    /// Counts the transfers in a state up to a bound, by the index of states.
    private static func someOf(_ state: TransferState.Name) -> String {
        let source =
            state == .active
            ? "INDEXED BY transfer_active WHERE state = 'active'"
            : "INDEXED BY transfer_state WHERE state = '\(state)' AND \(StoreSchema.isInStateIndex)"
        var some = "SELECT 1 FROM transfer \(source)"
        if state == .completed || state == .cancelled {
            some += " UNION ALL SELECT 1 FROM ended WHERE state = '\(state)'"
        }
        return "SELECT count(*) FROM (\(some) LIMIT ?1)"
    }

    /// All faults, in words.
    func faults() throws -> [String] {
        var faults: [String] = []
        let (kept, real) = (try kept(), try real())
        for state in Set(real.keys).union(kept.keys).sorted() where real[state] ?? 0 != kept[state] ?? 0 {
            faults.append(
                "the store counts \(kept[state] ?? 0) \(state) transfers, but has \(real[state] ?? 0)"
            )
        }
        for (sql, what) in [(Self.forgotten, "is not recorded"), (Self.stale, "is recorded wrongly")] {
            let lines = try Row.fetchCursor(db, sql: sql)
            var count = 0
            while try lines.next() != nil { count += 1 }
            if count > 0 {
                faults.append(
                    "the first transfer of \(count) \(count == 1 ? "line" : "lines") \(what)"
                )
            }
        }
        let mislabelled =
            try Int.fetchOne(db, sql: "SELECT count(*) FROM transfer WHERE \(Self.isMislabelled)") ?? 0
        if mislabelled > 0 {
            faults.append(
                "the store notes wrongly for \(mislabelled) \(mislabelled == 1 ? "transfer" : "transfers") whether the queue is strict"
            )
        }
        if let fault = try numberFault() { faults.append(fault) }
        return faults
    }

    /// A fault in the latest number given to a transfer: a number that is too low would be given again, and no number
    /// follows the highest one. The latest number may exceed all existing ones, because transfers are forgotten.
    private func numberFault() throws -> String? {
        let kept = try Int64.fetchOne(db, sql: "SELECT latest FROM number") ?? 0
        let real = try Int64.fetchOne(db, sql: "SELECT max(id) FROM work") ?? 0
        guard kept < real || (kept == .max && real < .max) else { return nil }
        return "the latest transfer is recorded as \(kept), but is \(real)"
    }

    private static let numbering =
        "INSERT OR REPLACE INTO number (id, latest) SELECT 1, ifnull(max(id), 0) FROM work"

    /// Rebuilds everything if anything is wrong; returns the faults found.
    func mend() throws -> [String] {
        let faults = try faults()
        if !faults.isEmpty { try rebuild() }
        return faults
    }

    private func rebuild() throws {
        try recount()
        try label()
        if try numberFault() != nil { try db.execute(sql: Self.numbering) }
        try db.execute(
            sql: """
                DELETE FROM head;
                INSERT INTO head (queue, owner, host, runs_in_background, place, transfer) \(Self.firsts)
                """
        )
    }

    /// Corrects the column `strict` of every transfer that is not completed or cancelled.
    func label() throws {
        try db.execute(sql: "UPDATE transfer SET strict = \(Self.strictness) WHERE \(Self.isMislabelled)")
    }

    private static let strictness = "ifnull((SELECT strict FROM queue WHERE name = transfer.queue), 0)"

    private static let isMislabelled = "\(StoreSchema.isNotOver) AND strict <> \(strictness)"

    /// Counts the states again.
    func recount() throws {
        try db.execute(sql: "DELETE FROM tally; INSERT INTO tally (state, count) " + Self.counting)
    }

    /// The keys are the words in the table, because a wrong word is a fault.
    private func kept() throws -> [String: Int] { try counts("SELECT state, count FROM tally") }

    private func real() throws -> [String: Int] { try counts(Self.counting) }

    private func counts(_ sql: String) throws -> [String: Int] {
        let cursor = try Row.fetchCursor(db, sql: sql)
        var counts: [String: Int] = [:]
        while let row = try cursor.next() {
            counts[try row.decode(String.self, atIndex: 0)] = try row.decode(Int.self, atIndex: 1)
        }
        return counts
    }

    private static let counting = """
        SELECT state, sum(count) FROM (
            SELECT state, count(*) AS count FROM transfer GROUP BY state
            UNION ALL SELECT state, count(*) FROM ended GROUP BY state
        ) GROUP BY state
        """

    private static let firsts = """
        SELECT queue, ifnull(owner, 0), host, runs_in_background, place, id FROM (
            SELECT queue, owner, host, runs_in_background, place, id,
                row_number() OVER (PARTITION BY queue, owner, host, runs_in_background ORDER BY place, id) AS position
            FROM transfer WHERE runnable = 1
        ) WHERE position = 1
        """

    private static let known = "SELECT queue, owner, host, runs_in_background, place, transfer FROM head"

    private static let forgotten = "\(firsts) EXCEPT \(known)"

    private static let stale = "\(known) EXCEPT \(firsts)"

    /// Samples runnable transfers: finds one in an unknown line, or ahead of the known first.
    private static let forgottenAtAGlance = """
        SELECT EXISTS (
            SELECT 1 FROM (
                SELECT queue, owner, host, runs_in_background, place, id
                FROM transfer INDEXED BY transfer_line WHERE runnable = 1 LIMIT ?
            ) AS some WHERE NOT EXISTS (
                SELECT 1 FROM head
                WHERE head.queue = some.queue AND head.owner = ifnull(some.owner, 0) AND head.host = some.host
                    AND head.runs_in_background = some.runs_in_background
                    AND (head.place, head.transfer) <= (some.place, some.id)
            )
        )
        """

    /// Samples the known first transfers: finds one that is no longer in its line.
    private static let staleAtAGlance = """
        SELECT EXISTS (
            SELECT 1 FROM (SELECT queue, owner, host, runs_in_background, place, transfer FROM head LIMIT ?) AS some
            WHERE NOT EXISTS (
                SELECT 1 FROM transfer
                WHERE id = some.transfer AND runnable = 1 AND queue = some.queue AND host = some.host
                    AND runs_in_background = some.runs_in_background AND ifnull(owner, 0) = some.owner AND place = some.place
            )
        )
        """
}
