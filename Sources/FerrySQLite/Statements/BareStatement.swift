import GRDB
import GRDBSQLite

/// A prepared GRDB statement, bound and stepped by SQLite's own functions.
///
/// GRDB boxes each argument and column and walks them several times; for a row of this store that takes
/// longer than SQLite itself. So statements that run once per transfer use this type. All others use GRDB, including
/// those that begin or end a transaction, because GRDB must know of it.
struct BareStatement {
    private let db: Database
    /// Keeps the handle alive after GRDB's cache drops it.
    private let statement: Statement
    private var handle: SQLiteStatement { statement.sqliteStatement }

    /// Takes a statement from the connection's cache, or prepares it.
    init(_ sql: String, on db: Database) throws {
        self.db = db
        statement = try db.cachedStatement(sql: sql)
    }

    /// Runs a statement that returns no rows.
    ///
    /// - Parameter room: bytes for the values; SQLite copies values that exceed it.
    func execute(
        room: Int = StatementBinder.room,
        _ bind: (inout StatementBinder) throws -> Void
    ) throws {
        try bound(bind, room: room) {
            let code = sqlite3_step(handle)
            guard code == SQLITE_DONE else { throw failure(code) }
        }
    }

    /// Reads the first row; `nil` without one.
    func first<Value>(
        _ bind: (inout StatementBinder) throws -> Void,
        codec: RowCodec,
        _ read: (ColumnReader<Int>) throws -> Value
    ) throws -> Value? {
        try first(bind) { try read(ColumnReader(statement: handle, codec: codec)) }
    }

    /// Reads the integer in the first row; `nil` without a row.
    func integer(_ bind: (inout StatementBinder) throws -> Void = { _ in }) throws -> Int64? {
        try first(bind) { sqlite3_column_int64(handle, 0) }
    }

    /// Reads the first row as a transfer; `nil` without one.
    func transfer(
        _ bind: (inout StatementBinder) throws -> Void,
        codec: RowCodec,
        known: RememberedWork? = nil
    ) throws -> TransferRow? {
        try first(bind) { try TransferRow(ColumnReader(statement: handle, codec: codec), known: known) }
    }

    /// Reads rows until `read` returns a value; `nil` if it returns none.
    func firstMap<Value>(
        _ bind: (inout StatementBinder) throws -> Void,
        codec: RowCodec,
        _ read: (ColumnReader<Int>) throws -> Value?
    ) throws -> Value? {
        try first(bind) { try read(ColumnReader(statement: handle, codec: codec)) }
    }

    /// Reads all rows.
    func forEach(
        _ bind: (inout StatementBinder) throws -> Void,
        codec: RowCodec,
        _ read: (ColumnReader<Int>) throws -> Void
    ) throws {
        try forEach(of: Int.self, bind, codec: codec, read)
    }

    /// Reads all rows, by the names of their columns.
    func forEach<Column: StoredColumn>(
        of columns: Column.Type,
        _ bind: (inout StatementBinder) throws -> Void,
        codec: RowCodec,
        _ read: (ColumnReader<Column>) throws -> Void
    ) throws {
        _ = try first(bind) { () throws -> Never? in
            try read(ColumnReader(statement: handle, codec: codec))
            return nil
        }
    }

    private func first<Value>(
        _ bind: (inout StatementBinder) throws -> Void,
        _ read: () throws -> Value?
    ) throws -> Value? {
        try bound(bind) {
            while true {
                switch sqlite3_step(handle) {
                case SQLITE_ROW: if let value = try read() { return value }
                case SQLITE_DONE: return nil
                case let code: throw failure(code)
                }
            }
        }
    }

    /// Runs `body` while the values are bound. They are in one buffer, so that SQLite does not allocate memory for
    /// each.
    private func bound<Value>(
        _ bind: (inout StatementBinder) throws -> Void,
        room: Int = StatementBinder.room,
        _ body: () throws -> Value
    ) throws -> Value {
        try withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { room in
            reset()
            defer { reset() }
            var binder = StatementBinder(handle: handle, room: room)
            try bind(&binder)
            // A wrong number of values is a mistake in this source, which any test of the statement finds.
            precondition(binder.count == sqlite3_bind_parameter_count(handle), "a statement lacks values")
            guard binder.code == SQLITE_OK else { throw failure(binder.code) }
            return try body()
        }
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

    /// Bytes of values that need no allocation: the most that Swift puts on the stack.
    static let room = 1024
    /// The unused part of the buffer.
    private var room: UnsafeMutableRawBufferPointer

    fileprivate init(handle: SQLiteStatement, room: UnsafeMutableRawBufferPointer) {
        self.handle = handle
        self.room = room
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
        let statement = handle
        let code = value.withUTF8 { bytes in
            place(UnsafeRawBufferPointer(bytes)) { start, count, lifetime in
                let text = start.assumingMemoryBound(to: CChar.self)
                return sqlite3_bind_text(statement, index, text, count, lifetime)
            }
        }
        note(code)
    }

    /// Bytes or nothing.
    mutating func add(_ value: [UInt8]?) {
        let index = next()
        guard let value else { return note(sqlite3_bind_null(handle, index)) }
        guard !value.isEmpty else { return note(sqlite3_bind_zeroblob(handle, index, 0)) }
        let statement = handle
        let code = value.withUnsafeBytes { bytes in
            place(bytes) { sqlite3_bind_blob(statement, index, $0, $1, $2) }
        }
        note(code)
    }

    /// Copies bytes into the buffer and binds them there; without room, SQLite makes its own copy.
    private mutating func place(
        _ bytes: UnsafeRawBufferPointer,
        _ bind: (UnsafeRawPointer, CInt, sqlite3_destructor_type?) -> CInt
    ) -> CInt {
        let count = bytes.count
        guard let start = room.baseAddress, count <= room.count else {
            return bytes.baseAddress.map { bind($0, CInt(count), Self.copying) } ?? SQLITE_NOMEM
        }
        // An empty value needs an address too: without one it would be bound as NULL.
        if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: count) }
        room = UnsafeMutableRawBufferPointer(start: start + count, count: room.count - count)
        return bind(start, CInt(count), nil)
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
