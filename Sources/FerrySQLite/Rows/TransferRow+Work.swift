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

    /// The progress that a row describes; `nil` for a transfer that has not begun.
    ///
    /// - Parameter isKnown: whether this process has claimed the transfer and may have written its progress.
    static func progress(
        _ reader: ColumnReader<TransferColumn>,
        of transfer: Transfer,
        isKnown: Bool
    ) throws -> WorkProgress? {
        if isKnown,
            let progress = try reader.codec.progress(of: transfer.id, in: StoredProgress(reader))
        {
            return progress
        }
        return try transfer.kind.stored.progress(reader)
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
