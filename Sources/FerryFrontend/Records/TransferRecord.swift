package import Ferry

/// A transfer as a JSON object. The names of its members are a contract that docs/JSON.md documents.
///
/// It holds only what may be shown: URLs are redacted unless the user asks for whole ones. Headers, credentials and
/// proxies are left out (I7).
package enum TransferRecord {
    /// The members that every object about a transfer has.
    package static func brief(_ transfer: Transfer, _ progress: TransferProgress) -> [JSON.Member] {
        [
            .init(name: "id", value: .int(transfer.id.rawValue)),
            .init(name: "kind", value: .string(transfer.kind.rawValue)),
            .init(name: "state", value: .string(transfer.state.name.rawValue)),
            .init(name: "received", value: .int(progress.received)),
            .init(name: "total", value: .optional(progress.total)),
        ]
    }

    /// All members; with whole URLs when `revealing`.
    package static func full(
        _ transfer: Transfer,
        _ progress: TransferProgress,
        owners: OwnerDirectory,
        revealing: Bool = false
    ) -> [JSON.Member] {
        let terms = transfer.work.terms
        return brief(transfer, progress) + [
            .init(name: "url", value: .string(transfer.shown(transfer.work.url, revealing: revealing)))
        ] + work(transfer, revealing: revealing) + [
            .init(name: "queue", value: .string(transfer.queue)),
            .init(name: "priority", value: .int(Int64(transfer.priority))),
            .init(name: "tag", value: .optional(transfer.tag?.text)),
            .init(name: "uuid", value: .string("\(transfer.uuid)")),
            .init(name: "attempts", value: .int(Int64(transfer.attempts))),
            .init(
                name: "attemptStarted",
                value: .optional(transfer.attemptStarted.map { SystemTime.timestamp($0) })
            ),
            .init(name: "deaths", value: .int(Int64(transfer.ledger.deaths))),
            .init(name: "retries", value: .int(Int64(terms.retries))),
            .init(name: "rateLimit", value: .optional(terms.rateLimit.bytesPerSecond)),
            .init(name: "window", value: .optional(terms.window == .always ? nil : "\(terms.window)")),
            .init(name: "runsInBackground", value: .bool(terms.runsInBackground)),
            .init(name: "waitingFor", value: condition(transfer)),
            .init(name: "failure", value: failure(transfer)),
            .init(name: "wish", value: .optional(transfer.wish?.name)),
            .init(name: "process", value: .optional(owners.process(of: transfer).map { Int64($0) })),
            .init(name: "added", value: .string(SystemTime.timestamp(transfer.added))),
            .init(name: "updated", value: .string(SystemTime.timestamp(transfer.updated))),
            .init(name: "finished", value: .optional(transfer.finished.map { SystemTime.timestamp($0) })),
        ]
    }

    /// The members that only one kind of work has.
    private static func work(_ transfer: Transfer, revealing: Bool) -> [JSON.Member] {
        switch transfer.work {
        case .download(let work):
            download(work, of: transfer, revealing: revealing) + note(work.progress.note)
        case .request(let work): request(work)
        }
    }

    /// The stable code and the sentence of a note; both are null without a note.
    package static func note(_ note: TransferNote?) -> [JSON.Member] {
        [
            .init(name: "note", value: .optional(note?.message)),
            .init(name: "noteCode", value: .optional(note?.code.rawValue)),
        ]
    }

    private static func download(
        _ work: DownloadWork,
        of transfer: Transfer,
        revealing: Bool
    ) -> [JSON.Member] {
        let (progress, options) = (work.progress, work.specification.options)
        return [
            .init(name: "name", value: .optional(name(of: work))),
            .init(name: "excluded", value: .optional(progress.mirroring.excluded[.own]?.rawValue)),
            .init(
                name: "mirrors",
                value: .array(ShownMirror.all(of: transfer, revealing: revealing).map(\.json))
            ),
            .init(name: "path", value: .optional(transfer.finalPath)),
            .init(name: "destination", value: destination(work.specification.destination)),
            .init(name: "durable", value: .int(progress.segments.durableBytes)),
            .init(name: "validator", value: .string(progress.validator.strength.rawValue)),
            .init(name: "assurance", value: .string(progress.assurance.rawValue)),
            .init(
                name: "checksum",
                value: .optional(options.checksum.map { "\($0.algorithm.rawValue)=\($0.hex)" })
            ),
            .init(name: "length", value: .optional(options.length)),
            .init(name: "pieces", value: options.pieces.map(pieces) ?? .null),
        ]
    }

    /// Gives only the size of bodies and no fields: any of them may be a secret (I7).
    private static func request(_ work: RequestWork) -> [JSON.Member] {
        let response = work.progress.response
        return [
            .init(name: "method", value: .string(work.specification.methodName)),
            .init(name: "bodyLength", value: .int(work.specification.body.length)),
            .init(
                name: "bodyFiles",
                value: .array(work.specification.body.files.map { .string($0.path) })
            ),
            .init(name: "bodyType", value: .optional(work.specification.exchange.headers.mediaType)),
            .init(name: "sent", value: .optional(work.progress.sent.map { SystemTime.timestamp($0) })),
            .init(name: "status", value: .optional(response.map { Int64($0.status) })),
            .init(name: "responseType", value: .optional(response?.fields.mediaType)),
            .init(name: "isTruncated", value: response.map { .bool($0.isTruncated) } ?? .null),
        ]
    }

    /// The members that only a look at one transfer gives.
    ///
    /// - Parameter withBodies: whether to add the bodies of a request and its response, which may be secrets.
    package static func details(of transfer: Transfer, revealing: Bool, withBodies: Bool) -> [JSON.Member] {
        switch transfer.work {
        case .download: []
        case .request(let work): details(of: work, revealing, withBodies)
        }
    }

    private static func details(
        of work: RequestWork,
        _ revealing: Bool,
        _ withBodies: Bool
    ) -> [JSON.Member] {
        let response = work.progress.response
        let fields = response.map { response in
            response.fields.map { field -> JSON in
                ["name": .string(field.name), "value": revealing ? .string(field.value) : .null]
            }
        }
        let members: [JSON.Member] = [
            .init(name: "responseFields", value: fields.map { .array($0) } ?? .null)
        ]
        guard withBodies else { return members }
        return members + [
            .init(name: "body", value: body(work.specification.body.bytes)),
            .init(name: "responseBody", value: response.map { body($0.body) } ?? .null),
        ]
    }

    /// A body: as `text` if it is UTF-8, otherwise in `base64`.
    private static func body(_ bytes: [UInt8]) -> JSON {
        if let text = String(validating: bytes, as: UTF8.self) { return ["text": .string(text)] }
        return ["base64": .string(Base64.encoded(bytes))]
    }

    /// The failure of an attempt.
    package static func attempt(_ attempt: Attempt, of transfer: Transfer) -> JSON {
        [
            "started": .string(SystemTime.timestamp(attempt.started)),
            "ended": .string(SystemTime.timestamp(attempt.ended)),
            "received": .int(attempt.received),
            "failure": failure(attempt.failure, of: transfer),
        ]
    }

    private static func name(of work: DownloadWork) -> String? {
        guard case .file(_, let given) = work.specification.destination else { return nil }
        return (work.progress.name ?? given)?.rawValue
    }

    private static func destination(_ destination: Destination) -> JSON {
        switch destination {
        case .file(let directory, let name):
            ["directory": .string(directory), "name": .optional(name?.rawValue)]
        case .stream(let path): ["stream": .string(path)]
        }
    }

    private static func pieces(_ pieces: PieceDigests) -> JSON {
        [
            "count": .int(Int64(pieces.checksums.count)), "length": .int(pieces.length),
            "algorithm": .string(pieces.algorithm.rawValue),
        ]
    }

    private static func condition(_ transfer: Transfer) -> JSON {
        guard case .waiting(let condition) = transfer.state else { return .null }
        var members = [JSON.Member(name: "condition", value: .string(condition.name.rawValue))]
        if let moment = condition.wakeTime {
            members.append(.init(name: "until", value: .string(SystemTime.timestamp(moment))))
        }
        if case .diskSpace(let needed) = condition {
            members.append(.init(name: "needed", value: .int(needed)))
        }
        if condition == .dependency {
            let numbers = transfer.dependencies.map { JSON.int($0.rawValue) }
            members.append(.init(name: "transfers", value: .array(numbers)))
        }
        return .object(members)
    }

    private static func failure(_ transfer: Transfer) -> JSON {
        if case .failed(let reason) = transfer.state { return failure(reason, of: transfer) }
        return transfer.latestFailure.map { failure($0, of: transfer) } ?? .null
    }

    private static func failure(_ failure: TransferFailure, of transfer: Transfer) -> JSON {
        [
            "code": .string(failure.code.rawValue), "message": .string(failure.message),
            "hint": .optional(transfer.advice(on: failure)), "cause": .optional(failure.cause?.rawValue),
        ]
    }
}
