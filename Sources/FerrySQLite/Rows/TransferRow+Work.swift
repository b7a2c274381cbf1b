import FerryCore

/// How the columns of a row become the work of a transfer.
extension TransferRow {
    /// What a row says that is to be done, as if it had not begun.
    static func new(_ reader: ColumnReader) throws -> NewTransfer {
        let (queue, priority) = (try reader.text(2), Int(try reader.integer(3)))
        switch try reader.named(1, "kind", TransferKind.init(rawValue:)) {
        case .download:
            return NewTransfer(try download(reader), queue: queue, priority: priority)
        case .request:
            return NewTransfer(try request(reader), queue: queue, priority: priority)
        }
    }

    /// How far a transfer has come; `nil` for one that has not begun.
    static func progress(_ reader: ColumnReader, of kind: TransferKind) throws -> WorkProgress? {
        switch kind {
        case .download: return try downloadProgress(reader).map { .download($0) }
        case .request: return try reader.optionalJSON(20, RequestProgress.self).map { .request($0) }
        }
    }

    // MARK: Downloads

    private static func download(_ reader: ColumnReader) throws -> DownloadSpecification {
        // URL, name and options may hold secrets (I7), so what is wrong with them is told without them.
        let url = try reader.url(4)
        guard let options = try? reader.codec.decodeOptions(try reader.optionalText(8)) else {
            throw RowDamage("its options are not what they should be")
        }
        let destination: Destination
        if let path = try reader.optionalText(7) {
            destination = .stream(path: path)
        } else {
            destination = .file(directory: try reader.text(5), name: try name(reader))
        }
        return DownloadSpecification(url: url, destination: destination, options: options)
    }

    private static func name(_ reader: ColumnReader) throws -> FileName? {
        guard let text = try reader.optionalText(6) else { return nil }
        do {
            return try FileName(userGiven: text)
        } catch {
            throw RowDamage("its file name is none")
        }
    }

    private static func downloadProgress(_ reader: ColumnReader) throws -> Checkpoint? {
        var checkpoint = try begun(reader)
        if let note = try reader.optionalText(19) {
            checkpoint = checkpoint ?? Checkpoint()
            checkpoint?.note = note
        }
        return checkpoint
    }

    private static func begun(_ reader: ColumnReader) throws -> Checkpoint? {
        let segments = try reader.optionalBytes(21).map { bytes in
            guard let map = SegmentMap(encoded: bytes) else { throw RowDamage("its segment map is damaged") }
            return map
        }
        guard let text = try reader.optionalText(20) else {
            return segments.map { segments in
                var checkpoint = Checkpoint()
                checkpoint.segments = segments
                return checkpoint
            }
        }
        do {
            return try reader.codec.decodeCheckpoint(text)
                .checkpoint(segments: segments ?? SegmentMap(length: nil))
        } catch {
            // The text may hold a secret (I7), so it is not repeated here.
            throw RowDamage("its checkpoint is not what it should be")
        }
    }

    // MARK: Requests

    private static func request(_ reader: ColumnReader) throws -> RequestSpecification {
        var request = try reader.json(8, RequestSpecification.self)
        request.take(stored: try reader.url(4))
        return request
    }
}
