import FerryCore

extension RequestWork: StoredKind {
    static func new(_ reader: ColumnReader<TransferColumn>) throws -> NewTransfer {
        var request = try reader.json(.options, RequestSpecification.self)
        request.take(stored: try reader.url(.url))
        return NewTransfer(request)
    }

    static func progress(_ reader: ColumnReader<TransferColumn>) throws -> WorkProgress? {
        try reader.optionalJSON(.details, RequestProgress.self).map { .request($0) }
    }

    static func decodeTerms(_ options: String?, _ codec: RowCodec) throws -> WorkTerms {
        try codec.decodeJSON(Terms.self, from: options ?? "").terms ?? WorkTerms()
    }

    /// The part of a request that is read; the whole may be large.
    private struct Terms: Decodable {
        let terms: WorkTerms?
    }

    func store(in columns: inout StoredWork, codec: RowCodec) throws {
        columns.options = try codec.encodeJSON(specification)
    }
}

extension RequestProgress: StoredKindProgress {
    func store(in columns: inout StoredProgress, codec: RowCodec) throws {
        if self != RequestProgress() { columns.details = try codec.encodeJSON(self) }
    }
}
