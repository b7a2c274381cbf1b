import FerryCore

/// Decodes the columns of a row into the work of a transfer.
extension TransferRow {
    /// The work that a row describes, as if it had not begun.
    static func new(_ reader: ColumnReader<TransferColumn>) throws -> NewTransfer {
        var new =
            switch try kind(reader, .kind) {
            case .download: NewTransfer(try download(reader))
            case .request: NewTransfer(try request(reader))
            }
        new.uuid = try uuid(reader)
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

    /// The progress of a transfer; `nil` for one that has not begun.
    static func progress(
        _ reader: ColumnReader<TransferColumn>,
        of kind: TransferKind
    ) throws -> WorkProgress? {
        switch kind {
        case .download: return try downloadProgress(reader).map { .download($0) }
        case .request: return try reader.optionalJSON(.details, RequestProgress.self).map { .request($0) }
        }
    }

    /// The terms of a transfer, from the column of its options. Decodes less than the whole work.
    static func terms<Column>(
        _ reader: ColumnReader<Column>,
        _ options: Column,
        of kind: TransferKind
    ) throws -> WorkTerms {
        let text = try reader.optionalText(options)
        do {
            switch kind {
            case .download: return try reader.codec.decodeOptions(text).terms
            case .request: return try reader.json(options, RequestTerms.self).terms ?? WorkTerms()
            }
        } catch {
            // The options may hold secrets (I7), so messages about them leave them out.
            throw RowDamage("its options cannot be decoded")
        }
    }

    /// The part of a request that is read; the whole may be large.
    private struct RequestTerms: Decodable {
        let terms: WorkTerms?
    }

    // MARK: Downloads

    private static func download(_ reader: ColumnReader<TransferColumn>) throws -> DownloadSpecification {
        // URL, name and options may hold secrets (I7), so messages about them leave them out.
        let url = try reader.url(.url)
        guard let options = try? reader.codec.decodeOptions(try reader.optionalText(.options)) else {
            throw RowDamage("its options cannot be decoded")
        }
        let destination: Destination
        if let path = try reader.optionalText(.stream) {
            destination = .stream(path: path)
        } else {
            destination = .file(directory: try reader.text(.directory), name: try name(reader))
        }
        return DownloadSpecification(url: url, destination: destination, options: options)
    }

    private static func name(_ reader: ColumnReader<TransferColumn>) throws -> FileName? {
        guard let text = try reader.optionalText(.name) else { return nil }
        do {
            return try FileName(userGiven: text)
        } catch {
            throw RowDamage("its file name is not valid")
        }
    }

    private static func downloadProgress(_ reader: ColumnReader<TransferColumn>) throws -> DownloadProgress? {
        let segments = try reader.optionalBytes(.segments).map { bytes in
            guard let map = SegmentMap(encoded: bytes) else { throw RowDamage("its segment map is damaged") }
            return map
        }
        guard let text = try reader.optionalText(.details) else {
            return segments.map { segments in
                var progress = DownloadProgress()
                progress.segments = segments
                return progress
            }
        }
        do {
            return try reader.codec.decodeProgress(text)
                .progress(segments: segments ?? SegmentMap(length: nil))
        } catch {
            // The text may hold a secret (I7), so the message does not repeat it.
            throw RowDamage("its progress cannot be decoded")
        }
    }

    // MARK: Requests

    private static func request(_ reader: ColumnReader<TransferColumn>) throws -> RequestSpecification {
        var request = try reader.json(.options, RequestSpecification.self)
        request.take(stored: try reader.url(.url))
        return request
    }
}
