import FerryCore

extension UploadWork: StoredKind {
    static func new(_ reader: ColumnReader<TransferColumn>) throws -> NewTransfer {
        var upload = try reader.json(.options, UploadSpecification.self)
        upload.take(stored: try reader.url(.url))
        return NewTransfer(upload)
    }

    static func progress(_ reader: ColumnReader<TransferColumn>) throws -> WorkProgress? {
        try reader.optionalJSON(.details, UploadProgress.self).map(WorkProgress.upload)
    }

    func store(in columns: inout StoredWork, codec: RowCodec) throws {
        columns.options = try codec.texts.encodeJSON(specification)
    }
}

extension UploadProgress {
    func store(in columns: inout StoredProgress, codec: RowCodec) throws {
        guard self != UploadProgress() else { return }
        columns.details = try codec.texts.encodeJSON(self)
    }
}
