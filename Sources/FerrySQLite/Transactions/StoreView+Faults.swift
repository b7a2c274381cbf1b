import FerryCore
import GRDB

extension StoreView {
    /// Maximum faults reported, so that a ruined file does not fill the memory.
    static let mostFaults = 100

    /// All faults of the store, in words: what SQLite finds, and rows that make no sense.
    func faults() throws -> [String] {
        var faults = try damagedPages()
        try collectUnreadableTransfers(into: &faults)
        try collectUnreadableAttempts(into: &faults)
        faults += try contradictions().map(\.problem)
        faults += try damagedOwners().map(\.problem) + damagedQueues().map(\.problem)
        faults += try derivedFaults()
        return Array(faults.prefix(Self.mostFaults))
    }

    /// The faults of the derived tables.
    func derivedFaults() throws -> [String] {
        do {
            return try DerivedTables(db: db).faults()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return [error.message ?? "the lines of transfers are damaged"]
        }
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
            for sql in [TransferColumn.fromTransfer, TransferColumn.fromEnded + Self.andNotInTransfer] {
                let cursor = try Row.fetchCursor(db, sql: sql)
                while faults.count < Self.mostFaults, let row = try cursor.next() {
                    if let fault = try fault(in: row) { faults.append(fault) }
                }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            faults.append(error.message ?? "the table of transfers is damaged")
        }
    }

    private static let andNotInTransfer = " WHERE work.id NOT IN (SELECT id FROM transfer)"

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

    /// The fault in a row. It is also added to the damage log, as on any read. The row of a newer Ferry has none.
    private func fault(in row: Row) throws -> String? {
        do throws(StoreError) {
            _ = try TransferRow(ColumnReader<TransferColumn>(row: row, codec: codec))
            return nil
        } catch {
            if let number = Int64.fromDatabaseValue(row[0]) {
                _ = try codec.damage.reading(TransferID(rawValue: number)) { () throws -> Never? in
                    throw error
                }
            }
            if case .newerTransfer = error { return nil }
            return error.detail
        }
    }

    private func faultInAttempts(of number: Int64) throws -> String? {
        let id = TransferID(rawValue: number)
        guard try isOfKnownKind(id) else { return nil }
        do {
            _ = try attempts(of: id)
            return nil
        } catch let error as StoreError {
            return error.detail
        }
    }
}

extension StoreError {
    /// The damage, without the path, because the path is the same for every fault.
    fileprivate var detail: String {
        damage ?? description
    }
}
