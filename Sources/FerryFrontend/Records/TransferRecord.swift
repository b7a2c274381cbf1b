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
    ///
    /// - Parameter command: the command whose line is repeated to ask for it again.
    package static func full(
        _ transfer: Transfer,
        _ progress: TransferProgress,
        owners: OwnerDirectory,
        revealing: Bool = false,
        command: RepeatedCommand = .adding
    ) -> [JSON.Member] {
        let terms = transfer.work.terms
        return brief(transfer, progress) + [
            .init(name: "url", value: .string(transfer.shown(transfer.work.url, revealing: revealing)))
        ] + transfer.work.record.members(of: transfer, revealing: revealing) + [
            .init(name: "queue", value: .string(transfer.queue)),
            .init(name: "priority", value: .int(Int64(transfer.priority))),
            .init(name: "type", value: .optional(transfer.type?.text)),
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
            .init(name: "notAfter", value: .optional(terms.notAfter.map { SystemTime.timestamp($0) })),
            .init(name: "runsInBackground", value: .bool(terms.runsInBackground)),
            .init(name: "waitingFor", value: condition(transfer)),
            .init(name: "failure", value: failure(of: transfer, command)),
            .init(name: "wish", value: .optional(transfer.wish?.name)),
            .init(name: "process", value: .optional(owners.process(of: transfer).map { Int64($0) })),
            .init(name: "added", value: .string(SystemTime.timestamp(transfer.added))),
            .init(name: "updated", value: .string(SystemTime.timestamp(transfer.updated))),
            .init(name: "finished", value: .optional(transfer.finished.map { SystemTime.timestamp($0) })),
        ]
    }

    /// The stable code and the sentence of a note; both are null without a note.
    package static func note(_ note: TransferNote?) -> [JSON.Member] {
        [
            .init(name: "note", value: .optional(note?.message)),
            .init(name: "noteCode", value: .optional(note?.code.rawValue)),
        ]
    }

    /// The members that only a look at one transfer gives.
    ///
    /// - Parameter withBodies: whether to add the bodies of a request and its response, which may be secrets.
    package static func details(of transfer: Transfer, revealing: Bool, withBodies: Bool) -> [JSON.Member] {
        transfer.work.record.details(revealing: revealing, withBodies: withBodies)
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

    private static func failure(of transfer: Transfer, _ command: RepeatedCommand) -> JSON {
        let latest: TransferFailure? =
            if case .failed(let reason) = transfer.state { reason } else { transfer.latestFailure }
        return latest.map { failure($0, of: transfer, command) } ?? .null
    }

    private static func failure(
        _ failure: TransferFailure,
        of transfer: Transfer,
        _ command: RepeatedCommand = .adding
    ) -> JSON {
        let hint = transfer.advice(on: failure, command: command)
        return [
            "code": .string(failure.code.rawValue), "message": .string(failure.message),
            "hint": .optional(hint), "cause": .optional(failure.cause?.rawValue),
            "status": .optional(failure.status.map { Int64($0) }),
        ]
    }
}
