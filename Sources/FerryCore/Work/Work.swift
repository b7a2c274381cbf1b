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
            switch self {
            case .download(var work):
                work.specification.options.terms = newValue
                self = .download(work)
            case .request(var work):
                work.specification.terms = newValue
                self = .request(work)
            }
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
            switch (self, newValue) {
            case (.download(var work), .download(let progress)):
                work.progress = progress
                self = .download(work)
            case (.request(var work), .request(let progress)):
                work.progress = progress
                self = .request(work)
            case (.download, .request), (.request, .download):
                preconditionFailure("an attempt tells the progress of its own kind of work")
            }
        }
    }

    /// Whether an attempt can be ended and resumed later. A stream cannot: its reader keeps what was written and does
    /// not come back.
    package var isInterruptible: Bool {
        switch self {
        case .download(let work): !work.specification.isStream
        case .request: true
        }
    }

    /// Whether another process can do it: a process cannot write to the standard output of another.
    package var canChangeOwner: Bool {
        switch self {
        case .download(let work): work.specification.destination != .standardOutput
        case .request: true
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

    /// The part file that a cancelled transfer must still remove.
    package var residue: PartFileClaim? {
        switch self {
        case .download(let work): work.progress.part
        case .request: nil
        }
    }

    /// Whether both ask for the same, whatever their progress.
    package func asksForTheSame(as other: Work) -> Bool {
        switch (self, other) {
        case (.download(let own), .download(let other)): own.specification == other.specification
        case (.request(let own), .request(let other)): own.specification == other.specification
        case (.download, .request), (.request, .download): false
        }
    }

    // MARK: Transitions

    /// Notes that its process is gone and may have been writing.
    mutating func lostProcess() {
        guard case .download(var work) = self, work.progress.part?.modified != nil else { return }
        // The last change of the part file may be by that process.
        work.progress.part?.modified = nil
        self = .download(work)
    }

    /// Applies a cancellation.
    mutating func cancel(leaving residue: Residue) {
        guard case .download(var work) = self else { return }
        work.progress.cancel(leaving: residue)
        self = .download(work)
    }

    /// Drops the secrets of work that never runs again.
    mutating func dropSecrets() {
        switch self {
        case .download(var work):
            work.dropSecrets()
            self = .download(work)
        case .request(var work):
            work.specification.dropSecrets()
            self = .request(work)
        }
    }

    /// Uses another URL from now on. Secrets stay with the origin that they were given for (I7); another origin needs
    /// new ones.
    mutating func take(url: HTTPURL) {
        switch self {
        case .download(var work):
            work.take(url: url)
            self = .download(work)
        case .request(var work):
            work.specification.move(to: url)
            self = .request(work)
        }
    }

    /// Applies an edit, except for the URL.
    mutating func apply(_ edit: TransferEdit) {
        switch self {
        case .download(var work):
            if let options = edit.options { work.specification.options = options }
            if let credentials = edit.credentials { work.specification.options.credentials = credentials }
            if let headers = edit.headers { work.specification.options.headers = headers }
            self = .download(work)
        case .request(var work):
            if let credentials = edit.credentials { work.specification.exchange.credentials = credentials }
            if let headers = edit.headers { work.specification.exchange.headers = headers }
            self = .request(work)
        }
        var terms = terms
        if let retries = edit.retries { terms.retries = retries }
        if let limit = edit.rateLimit { terms.rateLimit = limit }
        if let window = edit.window { terms.window = window }
        if let runsInBackground = edit.runsInBackground { terms.runsInBackground = runsInBackground }
        if terms != self.terms { self.terms = terms }
    }

    /// Notes that an attempt used this URL, which may have been replaced since.
    mutating func noteAsked(_ url: HTTPURL) {
        guard case .download(var work) = self, url.resource != work.specification.url.resource else { return }
        work.progress.mirroring.replaceOwn(url)
        self = .download(work)
    }
}

/// The progress of a transfer: what an attempt records and leaves behind.
package enum WorkProgress: Hashable, Sendable {
    /// The progress of a download.
    case download(Checkpoint)
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
    package var note: String? {
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
