import Ferry

/// `ferry show` for people: all that is known of one transfer and may be shown.
struct TransferPortrait: Sendable {
    let transfer: Transfer
    let progress: TransferProgress
    let attempts: [Attempt]
    let process: Int32?
    /// Whether URLs are printed whole.
    var revealing = false

    /// The most attempts that are printed; the JSON has all.
    static let mostAttempts = 5

    /// The lines; `time` writes a moment.
    func lines(at now: Instant, time: (Instant) -> String = SystemTime.local) -> [String] {
        var lines = ["Transfer \(transfer.id) (\(transfer.kind.rawValue))"]
        func add(_ label: String, _ text: String?) {
            guard let text else { return }
            lines.append("  " + TerminalText.padded(label, to: 12) + TerminalText.safe(text))
        }
        let options = transfer.specification.options
        add("State", transfer.stateText(at: now))
        add("Next", hint)
        let own = transfer.checkpoint.mirroring.excluded[.own]
        add("From", transfer.shown(transfer.specification.url, revealing: revealing) + ShownMirror.aside(own))
        for mirror in ShownMirror.all(of: transfer, revealing: revealing) { add("Mirror", mirror.text) }
        add("Secrets", revealing ? transfer.goneSecretsText : nil)
        add("To", transfer.displayDestination)
        add("Received", received)
        add("Attempts", attemptsText)
        add("After", transfer.dependencies.isEmpty ? nil : transfer.dependenciesText)
        add("Last", transfer.state.isFinal ? nil : transfer.latestFailure?.message)
        add("Note", transfer.checkpoint.note)
        add("Version by", Self.validator(transfer.checkpoint.validator.strength))
        add("Assurance", transfer.checkpoint.assurance.rawValue)
        add("Checksum", options.checksum.map { "\($0.algorithm.rawValue)=\($0.hex)" })
        add("Length", options.length.map { "\($0) bytes, as it must be" })
        add("Pieces", options.pieces.map(Self.pieces))
        add("Sends", sends)
        add("Proxy", options.connection(to: transfer.specification.url).proxy.map { "\($0)" })
        add("Limit", options.rateLimit == .off ? nil : "\(options.rateLimit)")
        add("Window", options.window == .always ? nil : "\(options.window)")
        add("Queue", transfer.queue == NewTransfer.defaultQueue ? nil : transfer.queue)
        add("Priority", transfer.priority == 0 ? nil : "\(transfer.priority)")
        add("Process", process.map { "\($0)" })
        add("Asked to", transfer.wish.map(Self.wish))
        add("Added", time(transfer.added))
        add("Changed", time(transfer.updated))
        add("Finished", transfer.finished.map(time))
        if !attempts.isEmpty {
            lines.append("  Attempts that failed:")
            if attempts.count > Self.mostAttempts {
                lines.append("    (\(attempts.count - Self.mostAttempts) earlier)")
            }
            for attempt in attempts.suffix(Self.mostAttempts) {
                let amount = ByteCount(attempt.received).formatted
                lines.append(
                    "    \(time(attempt.ended))  at \(amount): \(TerminalText.safe(attempt.failure.message))"
                )
            }
        }
        return lines
    }

    /// Those that died with their process are told apart: they say nothing of the server.
    private var attemptsText: String {
        let most = transfer.retryPolicy.attempts
        let deaths = transfer.ledger.deaths
        let text = "\(max(0, transfer.attempts - deaths)) of \(most)"
        return deaths == 0
            ? text : "\(text); the latest \(deaths == 1 ? "one" : "\(deaths)") died with the process"
    }

    private var received: String {
        let percent = progress.percentText.map { " (\($0))" } ?? ""
        let durable = transfer.checkpoint.segments.durableBytes
        let safe = durable < progress.received && !transfer.state.isFinal
        return progress.amountText + percent
            + (safe ? "; \(ByteCount(durable).formatted) safe against power loss" : "")
    }

    private var hint: String? {
        switch transfer.state {
        case .failed(let failure): failure.naming(transfer.id).hint
        case .paused: "`ferry resume \(transfer.id)` \(transfer.continuation)."
        case .waiting(.newURL): "`ferry edit \(transfer.id) --url URL` gives a fresh URL."
        case .waiting(.diskSpace):
            "Free some space, then `ferry resume \(transfer.id)` \(transfer.continuation)."
        case .waiting(.window): "`ferry edit \(transfer.id) --window off` lets it run at any time."
        case .queued where process == nil: "`ferry run` or `ferry resume \(transfer.id)` runs it."
        case .cancelled: transfer.displacement?.hint ?? transfer.keptPartHint
        case .queued, .active, .waiting, .completed: nil
        }
    }

    /// That there are credentials and fields may be told, what they are may not (I7).
    private var sends: String? {
        let options = transfer.specification.options
        var parts: [String] = []
        if let credentials = options.credentials { parts.append("\(credentials)") }
        if !options.headers.isEmpty {
            parts.append("fields " + options.headers.map(\.name).joined(separator: ", "))
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private static func pieces(_ pieces: PieceDigests) -> String {
        let length = ByteCount(pieces.length).formatted
        return "\(pieces.checksums.count) of \(length), each with its \(pieces.algorithm.rawValue)"
    }

    private static func validator(_ strength: Validator.Strength) -> String {
        switch strength {
        case .strongETag: "a strong ETag"
        case .strongDate: "the date of its last change"
        case .weak: "weak validators, and a comparison of what overlaps"
        case .none: "nothing that the server says"
        }
    }

    private static func wish(_ wish: Wish) -> String {
        switch wish {
        case .pause: "pause"
        case .cancel(keepingPart: false): "end, and remove the part file"
        case .cancel(keepingPart: true): "end, and keep the part file"
        case .reload: "run again with what was edited, or when its queue is resumed"
        }
    }
}
