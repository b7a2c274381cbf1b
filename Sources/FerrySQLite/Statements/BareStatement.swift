import Foundation
import GRDB
import GRDBSQLite

/// A prepared GRDB statement, bound and stepped by SQLite's own functions.
///
/// GRDB boxes each argument and column and walks them several times; for a row of this store that takes
/// longer than SQLite itself. Statements that run once per transfer therefore go this way. All others go
/// through GRDB, as do those that begin or end a transaction, because GRDB must know of it.
struct BareStatement {
    private let db: Database
    /// Keeps the handle alive, even when GRDB's cache drops it.
    private let statement: Statement
    private var handle: SQLiteStatement { statement.sqliteStatement }

    /// Takes a statement from the connection's cache, or prepares it.
    init(_ sql: String, on db: Database) throws {
        self.db = db
        statement = try db.cachedStatement(sql: sql)
    }

    /// Runs a statement that returns no rows.
    func execute(_ bind: (inout StatementBinder) throws -> Void) throws {
        try bound(bind)
        defer { reset() }
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE else { throw failure(code) }
    }

    /// Reads the first row; `nil` without one.
    func first<Value>(
        _ bind: (inout StatementBinder) throws -> Void,
        codec: RowCodec,
        _ read: (ColumnReader<Int>) throws -> Value
    ) throws -> Value? {
        try first(bind) { try read(ColumnReader(statement: handle, codec: codec)) }
    }

    /// Reads the first row as a transfer; `nil` without one.
    func transfer(
        _ bind: (inout StatementBinder) throws -> Void,
        codec: RowCodec
    ) throws -> TransferRow? {
        try first(bind) { try TransferRow(ColumnReader(statement: handle, codec: codec)) }
    }

    private func first<Value>(
        _ bind: (inout StatementBinder) throws -> Void,
        _ read: () throws -> Value
    ) throws -> Value? {
        try bound(bind)
        defer { reset() }
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return try read()
        case SQLITE_DONE: return nil
        case let code: throw failure(code)
        }
    }

    private func bound(_ bind: (inout StatementBinder) throws -> Void) throws {
        reset()
        var binder = StatementBinder(handle: handle)
        try bind(&binder)
        // A missing or surplus value is a bug in this source. Every test that runs the statement finds it.
        precondition(binder.count == sqlite3_bind_parameter_count(handle), "a statement lacks values")
        guard binder.code == SQLITE_OK else { throw failure(binder.code) }
    }

    private func reset() {
        // The result repeats the error of the last step.
        _ = sqlite3_reset(handle)
    }

    private func failure(_ code: CInt) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: db.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) }
        )
    }
}

/// Binds the values of a statement in order.
struct StatementBinder {
    fileprivate let handle: SQLiteStatement
    /// The number of values bound so far.
    fileprivate private(set) var count: CInt = 0
    /// The first failure, such as a text that is too long.
    fileprivate private(set) var code = SQLITE_OK

    fileprivate init(handle: SQLiteStatement) {
        self.handle = handle
    }

    /// An integer or nothing.
    mutating func add(_ value: Int64?) {
        let index = next()
        note(value.map { sqlite3_bind_int64(handle, index, $0) } ?? sqlite3_bind_null(handle, index))
    }

    /// An integer.
    mutating func add(_ value: Int) { add(Int64(value)) }

    /// 1 or 0.
    mutating func add(_ value: Bool) { add(Int64(value ? 1 : 0)) }

    /// A text or nothing.
    mutating func add(_ value: String?) {
        let index = next()
        guard var value else { return note(sqlite3_bind_null(handle, index)) }
        note(
            value.withUTF8 { bytes in
                // An empty text has no address, and would be bound as NULL.
                let start = bytes.baseAddress ?? UnsafePointer(bitPattern: 1)
                return start.map { start in
                    start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                        sqlite3_bind_text(handle, index, $0, CInt(bytes.count), Self.copying)
                    }
                } ?? SQLITE_NOMEM
            }
        )
    }

    /// Bytes or nothing.
    mutating func add(_ value: Data?) {
        let index = next()
        guard let value else { return note(sqlite3_bind_null(handle, index)) }
        guard !value.isEmpty else { return note(sqlite3_bind_zeroblob(handle, index, 0)) }
        note(
            value.withUnsafeBytes {
                sqlite3_bind_blob(handle, index, $0.baseAddress, CInt($0.count), Self.copying)
            }
        )
    }

    /// Tells SQLite to make its own copy.
    private static let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private mutating func next() -> CInt {
        count += 1
        return count
    }

    private mutating func note(_ code: CInt) {
        if self.code == SQLITE_OK { self.code = code }
    }
}
