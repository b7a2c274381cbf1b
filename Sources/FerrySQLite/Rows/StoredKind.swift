import FerryCore

/// Work of one kind as the columns of a row.
protocol StoredKind {
    /// Reads the work that a row describes, as if it had not begun.
    static func new(_ reader: ColumnReader<TransferColumn>) throws -> NewTransfer

    /// Reads the progress of a transfer; `nil` for a transfer that has not begun.
    static func progress(_ reader: ColumnReader<TransferColumn>) throws -> WorkProgress?

    /// Reads the terms of a transfer from its options. This decodes less than reading the work.
    static func decodeTerms(_ options: String?, _ codec: RowCodec) throws -> WorkTerms

    /// Fills the columns of its destination and its options.
    func store(in columns: inout StoredWork, codec: RowCodec) throws
}

extension StoredKind {
    /// Reads the terms of a transfer from the column of its options.
    static func terms<Column>(_ reader: ColumnReader<Column>, _ options: Column) throws -> WorkTerms {
        let text = try reader.optionalText(options)
        do {
            return try decodeTerms(text, reader.codec)
        } catch {
            // The options may hold secrets (I7), so messages about them leave them out.
            throw RowDamage("its options cannot be decoded")
        }
    }

    static func decodeTerms(_ options: String?, _ codec: RowCodec) throws -> WorkTerms {
        try codec.texts.decodeJSON(StoredTerms.self, from: options ?? "").terms ?? WorkTerms()
    }
}

/// The part of a work that is read for its terms.
private struct StoredTerms: Decodable {
    let terms: WorkTerms?
}

// The only place in this module that distinguishes the kinds of work.

extension TransferKind {
    /// How its rows are read.
    var stored: any StoredKind.Type {
        switch self {
        case .download: DownloadWork.self
        case .request: RequestWork.self
        case .upload: UploadWork.self
        }
    }
}

extension Work {
    /// How its row is written.
    var stored: any StoredKind {
        switch self {
        case .download(let work): work
        case .request(let work): work
        case .upload(let work): work
        }
    }
}

extension WorkProgress {
    /// Fills the columns of a progress; the progress of a transfer that has not begun fills none.
    func store(in columns: inout StoredProgress, codec: RowCodec) throws {
        switch self {
        case .download(let progress): try progress.store(in: &columns, codec: codec)
        case .request(let progress): try progress.store(in: &columns, codec: codec)
        case .upload(let progress): try progress.store(in: &columns, codec: codec)
        }
    }
}
