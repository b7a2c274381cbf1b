import FerryCore

/// Decodes the columns of a row into the work of a transfer.
extension TransferRow {
    /// The work that a row describes, as if it had not begun.
    static func new(_ reader: ColumnReader<TransferColumn>) throws -> NewTransfer {
        var new = try kind(reader, .kind).stored.new(reader)
        new.uuid = try uuid(reader)
        new.type = try reader.optionalText(.type).map { text in
            do throws(TransferTag.Invalid) {
                return try TransferType(text)
            } catch {
                throw RowDamage("its type is not valid")
            }
        }
        new.tag = try reader.optionalText(.tag).map { text in
            do throws(TransferTag.Invalid) {
                return try TransferTag(text)
            } catch {
                throw RowDamage("its tag is not valid")
            }
        }
        new.payload = try reader.optionalBytes(.payload).map { bytes in
            guard let payload = TransferPayload(bytes) else { throw RowDamage("its payload is too large") }
            return payload
        }
        return new
    }

    /// What a transfer does.
    static func kind<Column>(_ reader: ColumnReader<Column>, _ column: Column) throws -> TransferKind {
        let name = try reader.text(column)
        if let unknown = UnknownKind(name: name), TransferKind(rawValue: name) == nil { throw unknown }
        return try reader.named(column, "kind", TransferKind.init(rawValue:))
    }

    private static func uuid(_ reader: ColumnReader<TransferColumn>) throws -> TransferUUID {
        guard let bytes = try reader.optionalBytes(.uuid), let uuid = TransferUUID(bytes: bytes) else {
            throw RowDamage("its UUID is not valid")
        }
        return uuid
    }
}
