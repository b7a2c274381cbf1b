import FerryCore

extension RequestWork: StoredKind {
    static func new(_ reader: ColumnReader<TransferColumn>) throws -> NewTransfer {
        var request = try specification(reader.text(.options), reader.codec)
        request.take(stored: try reader.url(.url))
        guard request.take(stored: try reader.optionalBytes(.body) ?? []) else {
            throw RowDamage("its body has a wrong length")
        }
        return NewTransfer(request)
    }

    private static func specification(
        _ text: String,
        _ codec: RowCodec
    ) throws -> RequestSpecification {
        do {
            return try codec.texts.decodeRequest(text)
        } catch {
            // The text may hold a secret (I7), so the message does not repeat it.
            throw RowDamage("its request cannot be decoded")
        }
    }

    static func progress(_ reader: ColumnReader<TransferColumn>) throws -> WorkProgress? {
        guard var progress = try reader.optionalJSON(.details, RequestProgress.self) else { return nil }
        if let body = try reader.optionalBytes(.responseBody) { progress.response?.body = body }
        return .request(progress)
    }

    func store(in columns: inout StoredWork, codec: RowCodec) throws {
        columns.options = try codec.texts.encode(specification)
        let bytes = specification.body.bytes
        columns.body = bytes.isEmpty ? nil : bytes
    }
}

extension RequestProgress {
    func store(in columns: inout StoredProgress, codec: RowCodec) throws {
        guard self != RequestProgress() else { return }
        var small = self
        small.response?.body = []
        columns.details = try codec.texts.encode(small)
        if let body = response?.body, !body.isEmpty { columns.responseBody = body }
    }
}
