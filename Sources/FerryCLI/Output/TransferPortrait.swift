import Ferry
import FerryFrontend

/// `ferry show` for people: everything about one transfer that may be shown.
struct TransferPortrait: Sendable {
    let transfer: Transfer
    let progress: TransferProgress
    let attempts: [Attempt]
    let process: Int32?
    /// Whether another process has the store open, which runs what waits.
    var hasRunner = true
    /// Whether its queue is paused.
    var isQueuePaused = false
    /// The failed transfer that holds its queue, which is strict.
    var heldBy: TransferID?
    /// Why that transfer has failed, as far as it is known.
    var holderFailure: TransferFailure.Code?
    /// Whether URLs are printed whole.
    var revealing = false

    /// Maximum attempts printed; the JSON has all.
    static let mostAttempts = 5

    /// The lines of text.
    ///
    /// - Parameters:
    ///   - columns: those of a terminal that the lines fit; `nil` for any length.
    ///   - time: formats a moment.
    func lines(
        at now: Instant,
        columns: Int? = nil,
        time: (Instant) -> String = SystemTime.local
    ) -> [String] {
        let names = transfer.wording.wholeNames
        var lines = ["Transfer \(transfer.id) (\(transfer.kind.rawValue))"]
        func add(_ label: String, _ text: String?) {
            guard let text else { return }
            lines.append(TerminalText.labelled(label, text, columns: columns, keeping: names))
        }
        let reason =
            isQueuePaused
            ? "; its queue is paused" : heldBy.map { "; it waits behind transfer \($0), which failed" }
        let isUnattended = transfer.state.name == .waiting && !hasRunner
        let note = isUnattended ? "; no process runs it" : transfer.state == .queued ? reason ?? "" : ""
        let interruption = transfer.interruptionText.map { "; \($0)" } ?? ""
        add("State", transfer.stateText(at: now) + interruption + note)
        add("Next", hint)
        let url = transfer.shown(transfer.work.url, revealing: revealing)
        add(transfer.wording.urlLabel, url + ShownMirror.aside(ShownMirror.exclusionOfURL(of: transfer)))
        for mirror in ShownMirror.all(of: transfer, revealing: revealing) { add("Mirror", mirror.text) }
        add("Secrets", revealing ? transfer.goneSecretsText : nil)
        for (label, text) in transfer.wording.details(progress, time) { add(label, text) }
        for (label, text) in revealing ? transfer.wording.secrets : [] { add(label, text) }
        for field in revealing ? transfer.response?.fields ?? [] : [] {
            lines.append("    \(TerminalText.safe("\(field.name): \(field.value)"))")
        }
        add("Attempts", transfer.attempts == 0 ? nil : attemptsText)
        add(transfer.state == .active ? "Running since" : "Last attempt", transfer.attemptStarted.map(time))
        add("After", transfer.dependencies.isEmpty ? nil : transfer.dependenciesText)
        add("Last", transfer.state.isFinal ? nil : transfer.latestFailure?.message)
        add("Sends", sends)
        add("Object store", objectStore)
        let (terms, exchange) = (transfer.work.terms, transfer.work.exchange)
        add("Proxy", exchange.connection(to: transfer.work.url).proxy.map { "\($0)" })
        add("Certificate", exchange.connection.clientCertificate.map(Self.certificate))
        add("IP version", exchange.connection.addressFamily.map { "\($0) only" })
        add("Interface", exchange.connection.localAddress)
        for override in exchange.connection.hostOverrides { add("Resolve", "\(override)") }
        add("Limit", terms.rateLimit == .off ? nil : "\(terms.rateLimit)")
        add("Window", terms.window == .always ? nil : "\(terms.window)")
        add("Not after", terms.notAfter.map(time))
        add("Background", terms.runsInBackground ? nil : "waits while its application is in the background")
        add("Queue", transfer.queue == NewTransfer.defaultQueue ? nil : transfer.queue)
        add("Type", transfer.type?.text)
        add("Tag", transfer.tag?.text)
        add("Priority", transfer.priority == 0 ? nil : "\(transfer.priority)")
        add("Process", process.map { "\($0)" })
        add("Requested", transfer.wish.map(wish))
        add("Added", time(transfer.added))
        add("Changed", time(transfer.updated))
        add("Finished", transfer.finished.map(time))
        return lines
            + attemptLines(time).map { line in
                columns.map { TerminalText.wrapped(line, to: $0 - 1, indent: 6) } ?? line
            }
    }

    /// The latest failed attempts.
    private func attemptLines(_ time: (Instant) -> String) -> [String] {
        guard !attempts.isEmpty else { return [] }
        let earlier = attempts.count - Self.mostAttempts
        let recordsBytes = transfer.wording.recordsBytes
        let heading = ["  Failed attempts:"] + (earlier > 0 ? ["    (\(earlier) earlier)"] : [])
        return heading
            + attempts.suffix(Self.mostAttempts).map { attempt in
                let place = recordsBytes ? "at \(ByteCount(attempt.received).formatted): " : ""
                return "    \(time(attempt.ended))  \(place)\(TerminalText.safe(attempt.failure.message))"
            }
    }

    /// Attempts that died with their process are listed separately: they say nothing about the server.
    private var attemptsText: String {
        let most = transfer.retryPolicy.attempts
        let deaths = transfer.ledger.deaths
        let text = "\(max(0, transfer.attempts - deaths)) of \(most)"
        return deaths == 0
            ? text : "\(text); the latest \(deaths == 1 ? "one" : "\(deaths)") died with the process"
    }

    private var hint: String? {
        switch transfer.state {
        case .failed(let failure): transfer.advice(on: failure)
        case .paused: "`ferry resume \(transfer.id)` \(transfer.continuation)."
        case .waiting(.newURL): "`ferry edit \(transfer.id) --url URL` gives a fresh URL."
        case .waiting(.diskSpace):
            "Free some space, then `ferry resume \(transfer.id)` \(transfer.continuation)."
        case .waiting(.diskMount):
            "\(transfer.diskStep), then `ferry resume \(transfer.id)` \(transfer.continuation)."
        case .waiting(.window): "`ferry edit \(transfer.id) --window off` lets it run at any time."
        case .queued where isQueuePaused:
            "`ferry queue resume \(TerminalText.safe(transfer.queue))` lets the queue start."
        case .queued where heldBy != nil: heldBy.map { QueueStops.advice(on: $0, after: holderFailure) }
        case .queued where process == nil, .waiting where !hasRunner:
            "`ferry run` or `ferry resume \(transfer.id)` runs it."
        case .cancelled: transfer.displacement.flatMap { transfer.advice(on: $0) } ?? transfer.keptPartHint
        case .queued, .active, .waiting, .completed: nil
        }
    }

    /// Names credentials and fields, but not their values (I7).
    private var sends: String? {
        let exchange = transfer.work.exchange
        var parts: [String] = []
        if let credentials = exchange.credentials { parts.append("\(credentials)") }
        if !exchange.headers.isEmpty {
            parts.append("fields " + exchange.headers.map(\.name).joined(separator: ", "))
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// How the store of an object is reached, as far as that was given with the transfer.
    private var objectStore: String? {
        guard transfer.work.url.scheme.store != nil, let store = transfer.work.exchange.store else {
            return nil
        }
        let style: String? =
            switch store.style {
            case .path: "path style"
            case .customDomain: "custom domain"
            case .virtualHost, .automatic, nil: nil
            }
        let parts = [
            store.profile.map { "profile \($0)" }, store.region.map { "region \($0)" },
            store.endpoint.map { "server \($0.redacted)" }, style,
            store.version.map { "signature \($0.rawValue)" }, store.objectVersion.map { "version \($0)" },
        ]
        return parts.compactMap { $0.map { TerminalText.safe($0) } }.joined(separator: "; ")
    }

    private static func certificate(_ certificate: ClientCertificate) -> String {
        let (file, key) = (certificate.certificateFile, certificate.keyFile)
        return key == file ? file : "\(file), with the key in \(key)"
    }

    private func wish(_ wish: Wish) -> String {
        switch wish {
        case .pause: "pause"
        case .cancel(let keepingPart):
            transfer.wording.residue.map { "end, and \(keepingPart ? "keep" : "remove") \($0)" } ?? "end"
        case .reload: "run again after an edit, or when its queue is resumed"
        }
    }
}
