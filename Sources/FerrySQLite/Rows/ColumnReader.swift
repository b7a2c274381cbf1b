import FerryCore
import Foundation
import GRDB

/// Reads the columns of one row by position, trusting none of them: a file on a disk may hold anything.
struct ColumnReader {
    /// The row.
    let row: Row
    /// Reads the texts that stand for values.
    let codec: RowCodec

    /// The row's number, as far as it can be told.
    var rowNumber: String {
        let value: DatabaseValue = row[0]
        return value.description
    }

    /// An integer.
    func integer(_ column: Int) throws -> Int64 {
        guard let number = try optionalInteger(column) else { throw missing(column) }
        return number
    }

    /// An integer or nothing.
    func optionalInteger(_ column: Int) throws -> Int64? {
        let value: DatabaseValue = row[column]
        switch value.storage {
        case .null: return nil
        case .int64(let number): return number
        case .double, .string, .blob: throw RowDamage("\(name(column)) is not an integer")
        }
    }

    /// A text.
    func text(_ column: Int) throws -> String {
        guard let text = try optionalText(column) else { throw missing(column) }
        return text
    }

    /// A text or nothing.
    func optionalText(_ column: Int) throws -> String? {
        let value: DatabaseValue = row[column]
        switch value.storage {
        case .null: return nil
        case .string(let text): return text
        case .int64, .double, .blob: throw RowDamage("\(name(column)) is not a text")
        }
    }

    /// Bytes or nothing.
    func optionalBytes(_ column: Int) throws -> [UInt8]? {
        let value: DatabaseValue = row[column]
        switch value.storage {
        case .null: return nil
        case .blob(let data): return Array(data)
        case .int64, .double, .string: throw RowDamage("\(name(column)) is not a blob")
        }
    }

    /// A value by its stable name.
    func named<Value>(_ column: Int, _ what: String, _ read: (String) -> Value?) throws -> Value {
        guard let value = try optionallyNamed(column, what, read) else { throw missing(column) }
        return value
    }

    /// A value by its stable name, or nothing.
    func optionallyNamed<Value>(_ column: Int, _ what: String, _ read: (String) -> Value?) throws -> Value? {
        guard let text = try optionalText(column) else { return nil }
        guard let value = read(text) else { throw RowDamage("its \(what) is \"\(text)\"") }
        return value
    }

    /// A value as JSON.
    func json<Value: Decodable>(_ column: Int, _ type: Value.Type) throws -> Value {
        guard let value = try optionalJSON(column, type) else { throw missing(column) }
        return value
    }

    /// A value as JSON, or nothing.
    func optionalJSON<Value: Decodable>(_ column: Int, _ type: Value.Type) throws -> Value? {
        guard let text = try optionalText(column) else { return nil }
        do {
            return try codec.decodeJSON(type, from: text)
        } catch {
            // The text may hold a secret (I7), so it is not repeated here.
            throw RowDamage("\(name(column)) is not what it should be")
        }
    }

    private func missing(_ column: Int) -> RowDamage {
        RowDamage("\(name(column)) is missing")
    }

    private func name(_ column: Int) -> String {
        Array(row.columnNames)[column]
    }
}
