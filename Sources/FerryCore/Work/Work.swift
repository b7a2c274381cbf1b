/// What a transfer does, and its progress.
///
/// The scheduler and the stores read what every kind of work has. Only its own machine and runner know the rest.
package enum Work: Hashable, Sendable {
    /// Fetches one resource into one file, or into a stream.
    case download(DownloadWork)
    /// Sends one request and stores the response.
    case request(RequestWork)

    /// Its kind.
    package var kind: TransferKind {
        switch self {
        case .download: .download
        case .request: .request
        }
    }

    /// The URL that is requested first.
    package var url: HTTPURL {
        switch self {
        case .download(let work): work.specification.url
        case .request(let work): work.specification.url
        }
    }

    /// The host that is requested first. Queues count by it.
    package var host: String { url.host }

    /// What makes two transfers the same. `nil` is never the same as another: two equal requests are two.
    package var identity: String? {
        switch self {
        case .download(let work): work.specification.identity
        case .request: nil
        }
    }

    /// The identity by which a completed transfer is found. It omits a URL's password, which a stored digest could
    /// reveal.
    package var completedIdentity: String? {
        switch self {
        case .download(let work): work.specification.completedIdentity
        case .request: nil
        }
    }

    /// The terms that every kind of work has.
    package var terms: WorkTerms {
        get {
            switch self {
            case .download(let work): work.specification.options.terms
            case .request(let work): work.specification.terms
            }
        }
        set {
            change(
                download: { $0.specification.options.terms = newValue },
                request: { $0.specification.terms = newValue }
            )
        }
    }

    /// The terms of its HTTP exchanges.
    package var exchange: ExchangeTerms {
        switch self {
        case .download(let work): work.specification.options.exchange
        case .request(let work): work.specification.exchange
        }
    }

    /// Its progress.
    package var progress: WorkProgress {
        get {
            switch self {
            case .download(let work): .download(work.progress)
            case .request(let work): .request(work.progress)
            }
        }
        set {
            change(
                download: { work in
                    guard case .download(let progress) = newValue else { Self.refuseOtherKind() }
                    work.progress = progress
                },
                request: { work in
                    guard case .request(let progress) = newValue else { Self.refuseOtherKind() }
                    work.progress = progress
                }
            )
        }
    }

    /// The failure when its attempt was stopped and it cannot be resumed; `nil` when it is resumed later.
    package var failureWhenStopped: TransferFailure? {
        switch self {
        case .download(let work): work.failureWhenStopped
        case .request: nil
        }
    }

    /// Whether an attempt can be ended and resumed later.
    package var isInterruptible: Bool { failureWhenStopped == nil }

    /// The failure in any process but the one that added it; `nil` when every process can do it.
    package var failureInOtherProcess: TransferFailure? {
        switch self {
        case .download(let work): work.failureInOtherProcess
        case .request: nil
        }
    }

    /// Whether another process can do it: a process cannot write to the standard output of another.
    package var canChangeOwner: Bool { failureInOtherProcess == nil }

    /// The directory on whose disk it needs room; `nil` when it writes no file. A wait for space then ends only when it
    /// is resumed.
    package var directoryThatNeedsRoom: String? {
        switch self {
        case .download(let work): work.place?.directory
        case .request: nil
        }
    }

    /// Whether another source can be asked if the host of its URL does not exist.
    package var hasOtherSources: Bool {
        switch self {
        case .download(let work): !work.specification.options.mirrors.isEmpty
        case .request: false
        }
    }

    /// The failure after its process died; `nil` when it is simply retried.
    package var failureAfterDeath: TransferFailure? {
        switch self {
        case .download: nil
        case .request(let work): work.outcomeIsUnknown ? .outcomeUnknown(at: work.specification.url) : nil
        }
    }

    /// A failure with remedies, without those that this work cannot take.
    package func withRemedies(_ failure: TransferFailure) -> TransferFailure {
        withPossibleRemedies(withPossibleRemedies(failure).withRemedies)
    }

    /// A failure without the remedies that this work cannot take.
    func withPossibleRemedies(_ failure: TransferFailure) -> TransferFailure {
        switch self {
        case .download: failure
        case .request(let work): work.withPossibleRemedies(failure)
        }
    }

    /// Why an edit may not be applied; `nil` when it may.
    func refusal(of edit: TransferEdit, to id: TransferID, in state: TransferState) -> StoreError? {
        switch self {
        case .download: nil
        case .request(let work): work.refusal(of: edit, to: id, in: state)
        }
    }

    /// The remedies that replace it: end it, then add it again.
    func renewals(isOver: Bool) -> [Remedy] {
        switch self {
        case .download where isOver: [.addWithOtherOptions]
        case .download, .request: [isOver ? .remove : .cancel, renewal]
        }
    }

    /// The remedy that adds work of its kind again.
    var renewal: Remedy {
        switch self {
        case .download: .addAgain
        case .request: .sendAgain
        }
    }

    /// What a cancelled transfer must still remove.
    package var residue: WorkResidue? {
        switch self {
        case .download(let work): work.residue
        case .request: nil
        }
    }

    /// Whether both ask for the same, whatever their progress.
    package func asksForTheSame(as other: Work) -> Bool {
        switch self {
        case .download(let own):
            if case .download(let other) = other { own.specification == other.specification } else { false }
        case .request(let own):
            if case .request(let other) = other { own.specification == other.specification } else { false }
        }
    }

    // MARK: Transitions

    /// Notes that its process is gone and may have been writing.
    mutating func lostProcess() { change(download: { $0.lostProcess() }, request: { _ in }) }

    /// Applies a cancellation.
    mutating func cancel(leaving fate: ResidueFate) {
        change(download: { $0.progress.cancel(leaving: fate) }, request: { _ in })
    }

    /// Drops the secrets of work that never runs again.
    mutating func dropSecrets() {
        change(download: { $0.dropSecrets() }, request: { $0.specification.dropSecrets() })
    }

    /// Uses another URL from now on. Secrets stay with the origin that they were given for (I7); another origin needs
    /// new ones.
    mutating func take(url: HTTPURL) {
        change(download: { $0.take(url: url) }, request: { $0.specification.move(to: url) })
    }

    /// Applies an edit, except for the URL.
    mutating func apply(_ edit: TransferEdit) {
        change(download: { $0.apply(edit) }, request: { $0.apply(edit) })
        var terms = terms
        if let retries = edit.retries { terms.retries = retries }
        if let limit = edit.rateLimit { terms.rateLimit = limit }
        if let window = edit.window { terms.window = window }
        if let runsInBackground = edit.runsInBackground { terms.runsInBackground = runsInBackground }
        if terms != self.terms { self.terms = terms }
    }

    /// Notes that an attempt used this URL, which may have been replaced since.
    mutating func noteAsked(_ url: HTTPURL) { change(download: { $0.noteAsked(url) }, request: { _ in }) }

    private static func refuseOtherKind() -> Never {
        preconditionFailure("an attempt tells the progress of its own kind of work")
    }

    /// Changes the work of its kind. Every change names every kind, so that none is forgotten.
    mutating func change(
        download: (inout DownloadWork) -> Void,
        request: (inout RequestWork) -> Void
    ) {
        switch self {
        case .download(var work):
            download(&work)
            self = .download(work)
        case .request(var work):
            request(&work)
            self = .request(work)
        }
    }
}

/// The progress of a transfer: what an attempt records and leaves behind.
package enum WorkProgress: Hashable, Sendable {
    /// The progress of a download.
    case download(DownloadProgress)
    /// The progress of a request.
    case request(RequestProgress)

    /// The number of bytes received.
    package var received: Int64 {
        switch self {
        case .download(let progress): progress.segments.received
        case .request(let progress): Int64(progress.response?.body.count ?? 0)
        }
    }

    /// The length of the whole in bytes; `nil` if unknown.
    package var total: Int64? {
        switch self {
        case .download(let progress): progress.segments.length
        case .request(let progress): progress.response.map { Int64($0.body.count) }
        }
    }

    /// The explanation of the latest resume or restart, for display.
    package var note: TransferNote? {
        switch self {
        case .download(let progress): progress.note
        case .request: nil
        }
    }

    /// Whether a server has ever answered.
    package var hasAnswer: Bool {
        switch self {
        case .download(let progress): progress.server != nil
        case .request(let progress): progress.response != nil
        }
    }

    /// Whether the next attempt begins again although bytes were received.
    package var startsOver: Bool {
        switch self {
        case .download(let progress): progress.startsOver
        case .request: true
        }
    }

    /// Whether it has come far enough past `best` to count as progress.
    func isRealProgress(past best: Int64) -> Bool {
        switch self {
        case .download(let progress): progress.isRealProgress(past: best)
        case .request: false
        }
    }
}
