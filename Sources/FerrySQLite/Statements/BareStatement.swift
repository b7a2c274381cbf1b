import Foundation
import GRDB
import GRDBSQLite

/// A prepared statement of GRDB's, bound and stepped by SQLite's own functions.
///
/// GRDB boxes each argument and each column, and goes through all of them several times: for a row of this store that
/// takes longer than SQLite does. What happens once for each transfer therefore goes this way; everything else, and
/// whatever begins or ends a transaction, goes GRDB's, which has to know of it.
struct BareStatement {
    private let db: Database
    /// Keeps the handle alive, also when GRDB's cache drops it.
    private let statement: Statement
    private var handle: SQLiteStatement { statement.sqliteStatement }

    /// Takes a statement out of the connection's cache, and prepares it when it is not there.
    init(_ sql: String, on db: Database) throws {
        self.db = db
        statement = try db.cachedStatement(sql: sql)
    }

    /// Runs a statement that gives no rows.
    func execute(_ bind: (inout StatementBinder) throws -> Void) throws {
        try bound(bind)
        defer { reset() }
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE else { throw failure(code) }
    }

    /// Reads the first row; `nil` when there is none.
    func first<Value>(
        _ bind: (inout StatementBinder) throws -> Void,
        codec: RowCodec,
        _ read: (ColumnReader<Int>) throws -> Value
    ) throws -> Value? {
        try first(bind) { try read(ColumnReader(statement: handle, codec: codec)) }
    }

    /// Reads the first row as that of a transfer; `nil` when there is none.
    func transfer(
        _ bind: (inout StatementBinder) throws -> Void,
        codec: RowCodec
    ) throws -> TransferRow? {
        try first(bind) { try TransferRow(ColumnReader(statement: handle, codec: codec)) }
    }

    /// Reads the first rows until one of them gives something; `nil` when none does.
    func firstMap<Value>(
        _ bind: (inout StatementBinder) throws -> Void,
        codec: RowCodec,
        _ read: (ColumnReader<Int>) throws -> Value?
    ) throws -> Value? {
        try bound(bind)
        defer { reset() }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW:
                if let value = try read(ColumnReader(statement: handle, codec: codec)) { return value }
            case SQLITE_DONE: return nil
            case let code: throw failure(code)
            }
        }
    }

    /// Reads all rows.
    func forEach(
        _ bind: (inout StatementBinder) throws -> Void,
        codec: RowCodec,
        _ read: (ColumnReader<Int>) throws -> Void
    ) throws {
        _ = try firstMap(bind, codec: codec) { row -> Never? in
            try read(row)
            return nil
        }
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
        // A missing or a surplus value would be a mistake in this source, which every test that comes by meets.
        precondition(binder.count == sqlite3_bind_parameter_count(handle), "a statement lacks values")
        guard binder.code == SQLITE_OK else { throw failure(binder.code) }
    }

    private func reset() {
        // It tells again what the last step has told.
        _ = sqlite3_reset(handle)
    }

    private func failure(_ code: CInt) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: db.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) }
        )
    }
}

/// Gives a statement its values, one after the other.
struct StatementBinder {
    fileprivate let handle: SQLiteStatement
    /// How many there are by now.
    fileprivate private(set) var count: CInt = 0
    /// The first failure, as when a text is too long.
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

    /// Lets SQLite make a copy of its own.
    private static let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private mutating func next() -> CInt {
        count += 1
        return count
    }

    private mutating func note(_ code: CInt) {
        if self.code == SQLITE_OK { self.code = code }
    }
}
