import Ferry

extension DownloadWork: WorkRecord {
    func members(of transfer: Transfer, revealing: Bool) -> [JSON.Member] {
        let options = specification.options
        return [
            .init(name: "name", value: .optional(fileName)),
            .init(name: "excluded", value: .optional(progress.mirroring.excluded[.own]?.rawValue)),
            .init(
                name: "mirrors",
                value: .array(ShownMirror.all(of: transfer, revealing: revealing).map(\.json))
            ),
            .init(name: "path", value: .optional(transfer.finalPath)),
            .init(name: "destination", value: specification.destination.json),
            .init(name: "durable", value: .int(progress.segments.durableBytes)),
            .init(name: "validator", value: .string(progress.validator.strength.rawValue)),
            .init(name: "etag", value: .optional(progress.validator.entityTag?.description)),
            .init(
                name: "lastModified",
                value: .optional(progress.validator.lastModifiedInstant.map { SystemTime.timestamp($0) })
            ),
            .init(name: "assurance", value: .string(progress.assurance.rawValue)),
            .init(name: "checksum", value: .optional(options.checksum?.text)),
            .init(name: "range", value: .optional(options.range.map { "\($0)" })),
            .init(name: "length", value: .optional(options.length)),
            .init(name: "maximumLength", value: .optional(options.maximumLength)),
            .init(name: "keepsServerTime", value: .bool(options.keepsServerTime)),
            .init(
                name: "retriedStatuses",
                value: .array(options.retriedStatuses.sorted().map { .int(Int64($0)) })
            ),
            .init(name: "pieces", value: options.pieces?.json ?? .null),
        ] + TransferRecord.note(progress.note)
    }

    private var fileName: String? {
        guard case .file(_, let given) = specification.destination else { return nil }
        return (progress.name ?? given)?.rawValue
    }
}

extension Destination {
    fileprivate var json: JSON {
        switch self {
        case .file(let directory, let name):
            ["directory": .string(directory), "name": .optional(name?.rawValue)]
        case .stream(let path): ["stream": .string(path)]
        }
    }
}

extension PieceDigests {
    fileprivate var json: JSON {
        [
            "count": .int(Int64(checksums.count)), "length": .int(length),
            "algorithm": .string(algorithm.rawValue),
        ]
    }
}
