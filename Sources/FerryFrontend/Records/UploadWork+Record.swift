import Ferry

extension UploadWork: WorkRecord {
    func members(of transfer: Transfer, revealing: Bool) -> [JSON.Member] {
        [
            .init(name: "method", value: .string(specification.method.rawValue)),
            .init(name: "protocol", value: .string(specification.protocolName.rawValue)),
            .init(name: "bodyLength", value: .int(progress.source?.length ?? specification.file.length)),
            .init(name: "bodyFiles", value: .array([.string(specification.file.path)])),
            .init(name: "bodyType", value: .optional(specification.contentType)),
            .init(name: "confirmed", value: .int(progress.confirmed)),
            .init(name: "partSize", value: .optional(progress.partSize)),
            .init(name: "sent", value: .optional(progress.sent.map { SystemTime.timestamp($0) })),
            .init(name: "status", value: .optional(progress.result.map { Int64($0.status) })),
            .init(name: "etag", value: .optional(progress.result?.entityTag)),
            .init(name: "version", value: .optional(progress.result?.version)),
        ] + TransferRecord.note(progress.note)
    }
}
