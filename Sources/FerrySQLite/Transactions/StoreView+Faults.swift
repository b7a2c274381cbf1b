import FerryCore
import GRDB

extension StoreView {
    /// The most faults that are told, so that a ruined file does not fill the memory.
    private static let mostFaults = 100

    /// Everything that is wrong with the store, in words: what SQLite finds, and rows that mean nothing.
    func faults() throws -> [String] {
        var faults = try damagedPages()
        try collectUnreadableTransfers(into: &faults)
        try collectUnreadableAttempts(into: &faults)
        faults += try miscounts()
        let ownerless = try Int64.fetchAll(
            db,
            sql:
                "SELECT id FROM transfer WHERE owner IS NOT NULL AND owner NOT IN (SELECT id FROM owner) LIMIT ?",
            arguments: [Self.mostFaults]
        )
        faults += ownerless.map { "transfer \($0) is held by an owner that is not there" }
        try collectForgottenLines(into: &faults)
        return Array(faults.prefix(Self.mostFaults))
    }

    /// A line whose first transfer is not where claims look for it would never be served.
    private func collectForgottenLines(into faults: inout [String]) throws {
        let sql = """
            SELECT id FROM transfer WHERE runnable = 1 AND NOT EXISTS (
                SELECT 1 FROM head
                WHERE head.queue = transfer.queue AND head.owner = ifnull(transfer.owner, 0)
                    AND head.host = transfer.host
                    AND (head.place, head.transfer) <= (transfer.place, transfer.id)
            ) LIMIT ?
            """
        do {
            let forgotten = try Int64.fetchAll(db, sql: sql, arguments: [Self.mostFaults])
            faults += forgotten.map {
                "transfer \($0) stands before the one that is known as the first of its line"
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            faults.append(error.message ?? "the lines of transfers are damaged")
        }
    }

    /// The states of which another number is kept than there are transfers in them.
    private func miscounts() throws -> [String] {
        let cursor = try Row.fetchCursor(db, sql: "SELECT state, count(*) FROM transfer GROUP BY state")
        var real: [String: Int] = [:]
        while let row = try cursor.next() {
            real[try row.decode(String.self, atIndex: 0)] = try row.decode(Int.self, atIndex: 1)
        }
        let kept = try counts()
        return Set(real.keys).union(kept.keys).sorted().filter { real[$0] != kept[$0] }
            .map { "\(kept[$0] ?? 0) transfers are counted as \($0), and \(real[$0] ?? 0) are" }
    }

    private func damagedPages() throws -> [String] {
        do {
            let answers = try String.fetchAll(db, sql: "PRAGMA integrity_check(\(Self.mostFaults))")
            return answers == ["ok"] ? [] : answers
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return [error.message ?? "the database is damaged"]
        }
    }

    private func collectUnreadableTransfers(into faults: inout [String]) throws {
        do {
            let cursor = try Row.fetchCursor(db, sql: "SELECT \(TransferRow.columns) FROM transfer")
            while faults.count < Self.mostFaults, let row = try cursor.next() {
                if let fault = fault(in: row) { faults.append(fault) }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            faults.append(error.message ?? "the table of transfers is damaged")
        }
    }

    private func collectUnreadableAttempts(into faults: inout [String]) throws {
        do {
            let numbers = try Int64.fetchCursor(db, sql: "SELECT DISTINCT transfer FROM attempt")
            while faults.count < Self.mostFaults, let number = try numbers.next() {
                if let fault = try faultInAttempts(of: number) { faults.append(fault) }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            faults.append(error.message ?? "the table of attempts is damaged")
        }
    }

    private func fault(in row: Row) -> String? {
        do throws(StoreError) {
            _ = try TransferRow(ColumnReader(row: row, codec: codec), path: path)
            return nil
        } catch {
            return error.detail
        }
    }

    private func faultInAttempts(of number: Int64) throws -> String? {
        do {
            _ = try attempts(of: TransferID(rawValue: number))
            return nil
        } catch let error as StoreError {
            return error.detail
        }
    }
}

extension StoreError {
    /// What is damaged, without the path, which is the same for every fault.
    fileprivate var detail: String {
        if case .corrupt(_, let detail) = self { return detail }
        return description
    }
}
