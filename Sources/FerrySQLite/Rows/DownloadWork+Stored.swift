import FerryCore

extension DownloadWork: StoredKind {
    static func new(_ reader: ColumnReader<TransferColumn>) throws -> NewTransfer {
        // URL, name and options may hold secrets (I7), so messages about them leave them out.
        let url = try reader.url(.url)
        let destination: Destination
        if let path = try reader.optionalText(.stream) {
            destination = .stream(path: path)
        } else {
            destination = .file(directory: try reader.text(.directory), name: try name(reader))
        }
        do {
            let options = try reader.optionalText(.options)
            return NewTransfer(try reader.codec.texts.decode(url, to: destination, options: options))
        } catch {
            throw RowDamage("its options cannot be decoded")
        }
    }

    private static func name(_ reader: ColumnReader<TransferColumn>) throws -> FileName? {
        guard let text = try reader.optionalText(.name) else { return nil }
        do {
            return try FileName(userGiven: text)
        } catch {
            throw RowDamage("its file name is not valid")
        }
    }

    static func progress(_ reader: ColumnReader<TransferColumn>) throws -> WorkProgress? {
        let segments = try reader.optionalBytes(.segments).map { bytes in
            guard let map = SegmentMap(encoded: bytes) else { throw RowDamage("its segment map is damaged") }
            return map
        }
        guard let text = try reader.optionalText(.details) else {
            return segments.map { segments in
                var progress = DownloadProgress()
                progress.segments = segments
                return .download(progress)
            }
        }
        do {
            let segments = segments ?? SegmentMap(length: nil)
            return .download(try reader.codec.texts.decodeProgress(text, segments: segments))
        } catch {
            // The text may hold a secret (I7), so the message does not repeat it.
            throw RowDamage("its progress cannot be decoded")
        }
    }

    static func decodeTerms(_ options: String?, _ codec: RowCodec) throws -> WorkTerms {
        try codec.texts.decodeOptions(options).terms
    }

    func store(in columns: inout StoredWork, codec: RowCodec) throws {
        switch specification.destination {
        case .file(let directory, let name):
            columns.directory = directory
            columns.name = name?.rawValue
        case .stream(let path): columns.stream = path
        }
        columns.options = try codec.texts.encode(optionsOf: specification)
    }
}

extension DownloadProgress {
    private static let untouched = SegmentMap(length: nil)

    func store(in columns: inout StoredProgress, codec: RowCodec) throws {
        columns.details = try codec.texts.encode(self)
        if segments != Self.untouched { columns.segments = segments.encoded }
    }
}
