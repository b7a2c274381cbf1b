import Ferry

extension RequestWork: WorkRecord {
    /// Gives only the size of bodies and no fields: any of them may be a secret (I7).
    func members(of transfer: Transfer, revealing: Bool) -> [JSON.Member] {
        let response = progress.response
        return [
            .init(name: "method", value: .string(specification.methodName)),
            .init(name: "bodyLength", value: .int(bodyLength)),
            .init(
                name: "bodyFiles",
                value: .array(
                    specification.body.files.filter { !$0.isCopy }.map { .string($0.path) }
                )
            ),
            .init(name: "bodyType", value: .optional(specification.exchange.headers.mediaType)),
            .init(
                name: "values",
                value: .object(
                    specification.values.sorted { $0.key < $1.key }.map { name, value in
                        .init(name: name, value: .string("\(value)"))
                    }
                )
            ),
            .init(name: "sent", value: .optional(progress.sent.map { SystemTime.timestamp($0) })),
            .init(name: "status", value: .optional(response.map { Int64($0.status) })),
            .init(name: "responseType", value: .optional(response?.fields.mediaType)),
            .init(name: "responseFile", value: .optional(specification.responseFile?.place.path)),
            .init(name: "isTruncated", value: response.map { .bool($0.isTruncated) } ?? .null),
        ] + TransferRecord.note(progress.note)
    }

    func details(revealing: Bool, withBodies: Bool) -> [JSON.Member] {
        let response = progress.response
        let fields = response?.fields.map { field -> JSON in
            ["name": .string(field.name), "value": revealing ? .string(field.value) : .null]
        }
        let key = specification.key.map { key -> JSON in
            ["name": .string(key.field), "value": revealing ? .string(key.value) : .null]
        }
        let members: [JSON.Member] = [
            .init(name: "key", value: key ?? .null),
            .init(name: "responseFields", value: fields.map { .array($0) } ?? .null),
        ]
        guard withBodies else { return members }
        let stored = response.flatMap { $0.savedLength == nil ? $0 : nil }
        return members + [
            .init(name: "body", value: Self.json(specification.body.bytes)),
            .init(name: "responseBody", value: stored.map { Self.json($0.body) } ?? .null),
        ]
    }

    /// A body: as `text` if it is UTF-8, otherwise in `base64`.
    private static func json(_ bytes: [UInt8]) -> JSON {
        if let text = String(validating: bytes, as: UTF8.self) { return ["text": .string(text)] }
        return ["base64": .string(Base64.encoded(bytes))]
    }
}
