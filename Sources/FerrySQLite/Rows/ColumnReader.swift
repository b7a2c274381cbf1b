import FerryCore
import FoundationEssentials
import GRDB
import GRDBSQLite

/// Reads the columns of one row, by name, or by position in a row of few columns. It checks each value, because a file on
/// disk may hold anything.
struct ColumnReader<Column: StoredColumn> {
    private let columns: RowColumns
    /// Decodes the texts that represent values.
    let codec: RowCodec

    /// Reads a GRDB row.
    init(row: Row, codec: RowCodec) {
        columns = .row(row)
        self.codec = codec
    }

    /// Reads the current row of a statement. It is valid until the statement steps to another row.
    init(statement: SQLiteStatement, codec: RowCodec) {
        columns = .statement(statement)
        self.codec = codec
    }

    /// The row's number, if it can be read.
    var rowNumber: String { columns.description(of: 0) }

    /// An integer.
    func integer(_ column: Column) throws -> Int64 {
        guard let number = try optionalInteger(column) else { throw missing(column) }
        return number
    }

    /// An integer or nothing.
    func optionalInteger(_ column: Column) throws -> Int64? {
        switch columns.type(of: column.position) {
        case .null: return nil
        case .integer: return columns.integer(column.position)
        case .real, .text, .blob: throw RowDamage("\(name(column)) is not an integer")
        }
    }

    /// A text.
    func text(_ column: Column) throws -> String {
        guard let text = try optionalText(column) else { throw missing(column) }
        return text
    }

    /// A text or nothing.
    func optionalText(_ column: Column) throws -> String? {
        switch columns.type(of: column.position) {
        case .null: return nil
        case .text: return columns.text(column.position)
        case .integer, .real, .blob: throw RowDamage("\(name(column)) is not a text")
        }
    }

    /// Bytes or nothing.
    func optionalBytes(_ column: Column) throws -> [UInt8]? {
        switch columns.type(of: column.position) {
        case .null: return nil
        case .blob: return columns.bytes(column.position)
        case .integer, .real, .text: throw RowDamage("\(name(column)) is not a blob")
        }
    }

    /// A URL, secrets included.
    func url(_ column: Column) throws -> HTTPURL {
        let text = try text(column)
        do {
            return try HTTPURL(parsing: text)
        } catch {
            throw RowDamage("its URL is not valid")
        }
    }

    /// A value by its stable name.
    func named<Value>(_ column: Column, _ what: String, _ read: (String) -> Value?) throws -> Value {
        guard let value = try optionallyNamed(column, what, read) else { throw missing(column) }
        return value
    }

    /// A value by its stable name, or nothing.
    func optionallyNamed<Value>(_ column: Column, _ what: String, _ read: (String) -> Value?) throws -> Value?
    {
        guard let text = try optionalText(column) else { return nil }
        guard let value = read(text) else { throw RowDamage("its \(what) is \"\(text)\"") }
        return value
    }

    /// A value as JSON.
    func json<Value: Decodable>(_ column: Column, _ type: Value.Type) throws -> Value {
        guard let value = try optionalJSON(column, type) else { throw missing(column) }
        return value
    }

    /// A value as JSON, or nothing.
    func optionalJSON<Value: Decodable>(_ column: Column, _ type: Value.Type) throws -> Value? {
        guard let text = try optionalText(column) else { return nil }
        do {
            return try codec.texts.decodeJSON(type, from: text)
        } catch {
            // The text may hold a secret (I7), so the message does not repeat it.
            throw RowDamage("\(name(column)) cannot be decoded")
        }
    }

    private func missing(_ column: Column) -> RowDamage {
        RowDamage("\(name(column)) is missing")
    }

    private func name(_ column: Column) -> String {
        columns.name(of: column.position)
    }
}
