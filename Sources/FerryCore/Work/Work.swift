/// What a transfer does, and how far it has come with it.
///
/// The scheduler and the stores ask it what they may know of any work. Whatever else a kind consists of is known to its own
/// machine and runner only.
public enum Work: Hashable, Sendable {
    /// Fetches one resource into one file, or into a stream.
    case download(DownloadWork)
    /// Sends one request, and keeps the response.
    case request(RequestWork)

    /// Its kind.
    public var kind: TransferKind {
        switch self {
        case .download: .download
        case .request: .request
        }
    }

    /// The URL that is asked first.
    public var url: HTTPURL {
        switch self {
        case .download(let work): work.specification.url
        case .request(let work): work.specification.url
        }
    }

    /// The host that is asked first. Queues count by it.
    package var host: String { url.host }

    /// What makes two transfers the same one. `nil` never is the same as another one: two equal requests are two.
    package var identity: String? {
        switch self {
        case .download(let work): work.specification.identity
        case .request: nil
        }
    }

    /// The identity by which a completed transfer is found: without a URL's password, which a digest of it could give away.
    package var completedIdentity: String? {
        switch self {
        case .download(let work): work.specification.completedIdentity
        case .request: nil
        }
    }

    /// The terms on which it is tried, whatever it is.
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

    /// The terms of the exchanges that it consists of.
    package var exchange: ExchangeTerms {
        switch self {
        case .download(let work): work.specification.options.exchange
        case .request(let work): work.specification.exchange
        }
    }

    /// How far it has come.
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

    /// Whether an attempt can be ended and resumed later. What was written to a stream is with its reader, who does not
    /// come back.
    package var isInterruptible: Bool {
        switch self {
        case .download(let work): !work.specification.isStream
        case .request: true
        }
    }

    /// Whether another process can do it: one cannot write to the standard output of another.
    package var canChangeOwner: Bool {
        switch self {
        case .download(let work): work.specification.destination != .standardOutput
        case .request: true
        }
    }

    /// Whether it can be had elsewhere when the host of its URL does not exist.
    package var hasOtherSources: Bool {
        switch self {
        case .download(let work): !work.specification.options.mirrors.isEmpty
        case .request: false
        }
    }

    /// How it has failed when its process is gone; `nil` when it is simply tried again.
    package var failureAfterDeath: TransferFailure? {
        switch self {
        case .download: nil
        case .request(let work): work.outcomeIsUnknown ? .outcomeUnknown(at: work.specification.url) : nil
        }
    }

    /// What a cancelled transfer has yet to be rid of.
    package var residue: PartFileClaim? {
        switch self {
        case .download(let work): work.progress.part
        case .request: nil
        }
    }

    /// Whether the same is asked for, however far either has come.
    package func asksForTheSame(as other: Work) -> Bool {
        switch (self, other) {
        case (.download(let own), .download(let other)): own.specification == other.specification
        case (.request(let own), .request(let other)): own.specification == other.specification
        case (.download, .request), (.request, .download): false
        }
    }

    // MARK: Transitions

    /// Its process is gone, and may have been writing.
    mutating func lostProcess() {
        guard case .download(var work) = self, work.progress.part?.modified != nil else { return }
        // Whenever the part file was changed last, it may have been by that process.
        work.progress.part?.modified = nil
        self = .download(work)
    }

    /// It is cancelled.
    mutating func cancel(leaving residue: Residue) {
        guard case .download(var work) = self else { return }
        work.progress.cancel(leaving: residue)
        self = .download(work)
    }

    /// Drops the secrets of what is never done again.
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

    /// Asks another URL from now on. Secrets stay with the origin that they were given for (I7); for another one they are
    /// given anew.
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

    /// Changes what an edit names, but for the URL.
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
        guard edit.retries != nil || edit.rateLimit != nil || edit.window != nil else { return }
        var terms = terms
        if let retries = edit.retries { terms.retries = retries }
        if let limit = edit.rateLimit { terms.rateLimit = limit }
        if let window = edit.window { terms.window = window }
        self.terms = terms
    }

    /// An attempt has asked this URL, in whose place another one may have been given since.
    mutating func noteAsked(_ url: HTTPURL) {
        guard case .download(var work) = self, url.resource != work.specification.url.resource else { return }
        work.progress.mirroring.replaceOwn(url)
        self = .download(work)
    }
}

/// How far a transfer has come with its work: what an attempt records and leaves behind.
public enum WorkProgress: Hashable, Sendable {
    /// Of a download.
    case download(Checkpoint)
    /// Of a request.
    case request(RequestProgress)

    /// The bytes that are there.
    package var received: Int64 {
        switch self {
        case .download(let progress): progress.segments.received
        case .request(let progress): Int64(progress.response?.body.count ?? 0)
        }
    }

    /// The length of the whole in bytes, where that is known.
    package var total: Int64? {
        switch self {
        case .download(let progress): progress.segments.length
        case .request(let progress): progress.response.map { Int64($0.body.count) }
        }
    }

    /// The explanation of the latest resumption or restart, for people.
    package var note: String? {
        switch self {
        case .download(let progress): progress.note
        case .request: nil
        }
    }

    /// Whether the server that was asked has ever answered.
    package var hasAnswer: Bool {
        switch self {
        case .download(let progress): progress.server != nil
        case .request(let progress): progress.response != nil
        }
    }

    /// Whether the next attempt begins anew although bytes are there.
    package var startsOver: Bool {
        switch self {
        case .download(let progress): progress.startsOver
        case .request: true
        }
    }

    /// Whether it has come so far past `best` that the transfer counts as getting on.
    func isRealProgress(past best: Int64) -> Bool {
        switch self {
        case .download(let progress): progress.isRealProgress(past: best)
        case .request: false
        }
    }
}
