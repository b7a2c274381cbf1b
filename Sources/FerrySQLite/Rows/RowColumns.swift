import FoundationEssentials
import GRDB
import GRDBSQLite

/// The source of a row's columns.
enum RowColumns {
    /// A GRDB row.
    case row(Row)
    /// The current row of a statement; columns that are not read are not copied.
    case statement(SQLiteStatement)

    /// The storage class of a column.
    enum Kind {
        case null, integer, real, text, blob
    }

    /// The storage class of the value in a column.
    func type(of column: Int) -> Kind {
        switch self {
        case .row(let row):
            let value: DatabaseValue = row[column]
            switch value.storage {
            case .null: return .null
            case .int64: return .integer
            case .double: return .real
            case .string: return .text
            case .blob: return .blob
            }
        case .statement(let statement):
            switch sqlite3_column_type(statement, CInt(column)) {
            case SQLITE_INTEGER: return .integer
            case SQLITE_FLOAT: return .real
            case SQLITE_TEXT: return .text
            case SQLITE_BLOB: return .blob
            default: return .null
            }
        }
    }

    /// The integer in an integer column.
    func integer(_ column: Int) -> Int64 {
        switch self {
        case .row(let row): Int64.fromDatabaseValue(row[column]) ?? 0
        case .statement(let statement): sqlite3_column_int64(statement, CInt(column))
        }
    }

    /// The text in a text column.
    func text(_ column: Int) -> String {
        switch self {
        case .row(let row):
            return String.fromDatabaseValue(row[column]) ?? ""
        case .statement(let statement):
            guard let start = sqlite3_column_text(statement, CInt(column)) else { return "" }
            let count = Int(sqlite3_column_bytes(statement, CInt(column)))
            return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }

    /// The bytes in a blob column.
    func bytes(_ column: Int) -> [UInt8] {
        switch self {
        case .row(let row):
            return Data.fromDatabaseValue(row[column]).map { Array($0) } ?? []
        case .statement(let statement):
            guard let start = sqlite3_column_blob(statement, CInt(column)) else { return [] }
            let count = Int(sqlite3_column_bytes(statement, CInt(column)))
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }
    }

    /// The name of a column.
    func name(of column: Int) -> String {
        switch self {
        case .row(let row): Array(row.columnNames)[column]
        case .statement(let statement):
            sqlite3_column_name(statement, CInt(column)).map { String(cString: $0) } ?? "\(column)"
        }
    }

    /// The value in a column, for people.
    func description(of column: Int) -> String {
        switch self {
        case .row(let row):
            let value: DatabaseValue = row[column]
            return value.description
        case .statement:
            switch type(of: column) {
            case .null: return "NULL"
            case .integer: return "\(integer(column))"
            case .real, .text, .blob: return text(column)
            }
        }
    }
}
