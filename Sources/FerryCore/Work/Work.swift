/// What a transfer does, and its progress: work of one of the kinds that this Ferry knows.
///
/// It has the properties of ``TransferWork``. Only this type maps a kind to its type and back.
@dynamicMemberLookup
package indirect enum Work: Hashable, Sendable {
    /// Fetches one resource into one file, or into a stream.
    case download(DownloadWork)
    /// Sends one request and stores the response.
    case request(RequestWork)
    /// Sends one file, and resumes where it was interrupted.
    case upload(UploadWork)

    /// The work of its kind.
    var value: any TransferWork {
        switch self {
        case .download(let work): work
        case .request(let work): work
        case .upload(let work): work
        }
    }

    // Each read and each claim of a row uses these; through the protocol each use would copy the work.

    /// Its kind.
    package var kind: TransferKind {
        switch self {
        case .download(let work): work.kind
        case .request(let work): work.kind
        case .upload(let work): work.kind
        }
    }

    /// The URL that is requested first.
    package var url: HTTPURL {
        switch self {
        case .download(let work): work.url
        case .request(let work): work.url
        case .upload(let work): work.url
        }
    }

    /// The number of bytes received.
    package var received: Int64 {
        switch self {
        case .download(let work): work.progress.received
        case .request(let work): work.progress.received
        case .upload(let work): work.progress.received
        }
    }

    /// The length of the whole in bytes; `nil` if unknown.
    package var total: Int64? {
        switch self {
        case .download(let work): work.progress.total
        case .request(let work): work.progress.total
        case .upload(let work): work.progress.total
        }
    }

    /// Two transfers with equal identities are the same; work without one is never the same as other work.
    package var identity: String? {
        switch self {
        case .download(let work): work.identity
        case .request(let work): work.identity
        case .upload(let work): work.identity
        }
    }

    /// The identity by which a completed transfer is found.
    package var completedIdentity: String? {
        switch self {
        case .download(let work): work.completedIdentity
        case .request(let work): work.completedIdentity
        case .upload(let work): work.completedIdentity
        }
    }

    /// The explanation of the latest resume or restart, for display.
    package var note: TransferNote? {
        switch self {
        case .download(let work): work.progress.note
        case .request(let work): work.progress.note
        case .upload(let work): work.progress.note
        }
    }

    /// Whether an attempt can be ended and resumed later.
    package var isInterruptible: Bool {
        switch self {
        case .download(let work): work.isInterruptible
        case .request(let work): work.isInterruptible
        case .upload(let work): work.isInterruptible
        }
    }

    /// The failure in any process but the one that added it; `nil` when every process can do it.
    package var failureInOtherProcess: TransferFailure? {
        switch self {
        case .download(let work): work.failureInOtherProcess
        case .request(let work): work.failureInOtherProcess
        case .upload(let work): work.failureInOtherProcess
        }
    }

    /// Whether it gets a response, from which others may take values.
    package var hasResponse: Bool {
        switch self {
        case .download(let work): work.hasResponse
        case .request(let work): work.hasResponse
        case .upload(let work): work.hasResponse
        }
    }

    /// The path of the file that is to be at its URL in the end; `nil` for work that puts none there.
    package var uploadedFile: String? {
        switch self {
        case .download(let work): work.uploadedFile
        case .request(let work): work.uploadedFile
        case .upload(let work): work.uploadedFile
        }
    }

    /// What a cancelled transfer must still remove.
    package var residue: WorkResidue? {
        switch self {
        case .download(let work): work.residue
        case .request(let work): work.residue
        case .upload(let work): work.residue
        }
    }

    /// What a completed transfer must still remove.
    package var residueWhenCompleted: WorkResidue? {
        switch self {
        case .download(let work): work.residueWhenCompleted
        case .request(let work): work.residueWhenCompleted
        case .upload(let work): work.residueWhenCompleted
        }
    }

    /// Whether a file that an earlier download saved is fetched only if the server has another version, and it is not known
    /// yet which file that is.
    package var asksForAnother: Bool {
        guard let download else { return false }
        return download.specification.options.updates && download.progress.saved == nil
    }

    /// Takes over what is known of the file that completed work saved or sent, if the server is to be asked whether it has the
    /// same.
    package mutating func update(_ completed: Work) {
        switch (self, completed) {
        case (.download(var work), .download(let completed)):
            work.update(completed)
            self = .download(work)
        case (.request(var work), .request(let completed)):
            work.update(completed)
            self = .request(work)
        case (.upload(var work), .upload(let completed)):
            work.update(completed)
            self = .upload(work)
        case (.download, _), (.request, _), (.upload, _): break
        }
    }

    /// Lets a download replace a file that Ferry placed, as long as that was not changed.
    package mutating func replace(_ placed: PlacedFile) {
        switch self {
        case .download(var work):
            work.progress.saved = SavedVersion(placed)
            self = .download(work)
        case .request, .upload: break
        }
    }

    /// Lets a download replace the saved file that a new request for the same knows, or none that is known.
    ///
    /// - Returns: whether it is another one than before.
    mutating func takeSaved(of asked: Work) -> Bool {
        guard case .download(var work) = self, case .download(let asked) = asked,
            work.progress.saved != asked.progress.saved
        else { return false }
        work.progress.saved = asked.progress.saved
        self = .download(work)
        return true
    }

    /// The host that is requested first. Queues count by it.
    package var host: String { url.host }

    /// Where the values come from that it needs of earlier responses.
    package var valueSources: [ValueSource] {
        switch self {
        case .download, .upload: []
        case .request(let work): work.valueSources
        }
    }

    /// The requests whose responses have values that it needs. It comes after them.
    package var sources: [TransferUUID] {
        valueSources.map(\.source).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The response with which a request succeeded; `nil` without one, and for any other kind.
    package var successfulResponse: StoredResponse? {
        switch self {
        case .download, .upload: nil
        case .request(let work): work.successfulResponse
        }
    }

    /// Takes the values that it needs of a completed request.
    package mutating func take(_ values: ResponseValues) {
        switch self {
        case .download, .upload: break
        case .request(var work):
            work.take(values)
            self = .request(work)
        }
    }

    /// Whether a claim may record that its attempt sends a request (``RequestWork/isRecordedByClaims``).
    package var isRecordedByClaims: Bool {
        if case .request(let work) = self { work.isRecordedByClaims } else { false }
    }

    /// Records with a claim that its attempt sends a request (``RequestWork/recordSending(at:)``).
    ///
    /// - Returns: whether a claim may record that.
    mutating func recordSending(at now: Instant) -> Bool {
        guard case .request(var work) = self, work.recordSending(at: now) else { return false }
        self = .request(work)
        return true
    }

    /// Whether nothing is known yet of new work.
    package var isUntouched: Bool {
        switch self {
        case .download(let work): work.isUntouched
        case .request(let work): work.progress == RequestProgress()
        case .upload(let work): work.progress == UploadProgress()
        }
    }

    /// The copy of a body that is kept for it until it is over.
    package var bodyCopy: PinnedFile? {
        switch self {
        case .download(let work): work.bodyCopy
        case .request(let work): work.bodyCopy
        case .upload(let work): work.bodyCopy
        }
    }

    /// Drops the secrets of work that never runs again.
    package mutating func dropSecrets() {
        switch self {
        case .download(var work):
            work.dropSecrets()
            self = .download(work)
        case .request(var work):
            work.dropSecrets()
            self = .request(work)
        case .upload(var work):
            work.dropSecrets()
            self = .upload(work)
        }
    }

    /// Changes the work of its kind.
    mutating func change<Result>(_ body: (inout any TransferWork) -> Result) -> Result {
        var value = value
        let result = body(&value)
        switch value {
        case let work as DownloadWork: self = .download(work)
        case let work as RequestWork: self = .request(work)
        case let work as UploadWork: self = .upload(work)
        default: preconditionFailure("a change keeps the kind of work")
        }
        return result
    }

    /// Its progress.
    package var progress: WorkProgress {
        get {
            switch self {
            case .download(let work): .download(work.progress)
            case .request(let work): .request(work.progress)
            case .upload(let work): .upload(work.progress)
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
            case (.upload(var work), .upload(let progress)):
                work.progress = progress
                self = .upload(work)
            case (.download, _), (.request, _), (.upload, _):
                preconditionFailure("an attempt tells the progress of its own kind of work")
            }
        }
    }

    /// The download; `nil` for any other kind.
    package var download: DownloadWork? {
        if case .download(let work) = self { work } else { nil }
    }

    /// The request; `nil` for any other kind.
    package var request: RequestWork? {
        if case .request(let work) = self { work } else { nil }
    }

    /// The upload; `nil` for any other kind.
    package var upload: UploadWork? {
        if case .upload(let work) = self { work } else { nil }
    }

    /// A property of its kind of work.
    package subscript<Value>(dynamicMember property: KeyPath<any TransferWork, Value>) -> Value {
        value[keyPath: property]
    }

    /// The terms that every kind of work has.
    package var terms: WorkTerms {
        get {
            switch self {
            case .download(let work): work.terms
            case .request(let work): work.terms
            case .upload(let work): work.terms
            }
        }
        set { change { $0.terms = newValue } }
    }

    /// A final failure with remedies, without those that this work cannot take. Work that may have taken effect can also be
    /// counted as completed.
    package func withRemedies(_ failure: TransferFailure) -> TransferFailure {
        var failure = value.withPossibleRemedies(value.withPossibleRemedies(failure).withRemedies)
        let code = failure.cause ?? failure.code
        // A server that redirects has not acted.
        guard value.mayHaveArrived, !failure.code.needsResolution,
            ![.redirectRefused, .tooManyRedirects].contains(code),
            !failure.remedies.contains(.countAsArrived)
        else { return failure }
        failure.remedies.append(.countAsArrived)
        return failure
    }

    /// Whether both request the same, whatever their progress.
    package func asksForTheSame(as other: Work) -> Bool {
        // Each end of a transfer compares; through the protocol each comparison would copy both.
        switch (self, other) {
        case (.download(let work), .download(let other)): work.specification == other.specification
        case (.request(let work), .request(let other)): work.specification == other.specification
        case (.upload(let work), .upload(let other)): work.specification == other.specification
        case (.download, _), (.request, _), (.upload, _): false
        }
    }

    /// Whether both have the same progress.
    package func hasProgress(of other: Work) -> Bool {
        // Each write of a row compares; ``progress`` would copy both.
        switch (self, other) {
        case (.download(let work), .download(let other)): work.hasProgress(of: other)
        case (.request(let work), .request(let other)): work.progress == other.progress
        case (.upload(let work), .upload(let other)): work.progress == other.progress
        case (.download, _), (.request, _), (.upload, _): false
        }
    }

    /// Whether new work, added under the same UUID, asks for the same as this one did.
    func isRepeated(by other: Work, isOver: Bool) -> Bool {
        value.isRepeated(by: other.value, isOver: isOver)
    }

    /// Applies an edit, except for the URL.
    mutating func apply(_ edit: TransferEdit) {
        change { $0.apply(edit) }
        var terms = terms
        if let retries = edit.retries { terms.retries = retries }
        if let limit = edit.rateLimit { terms.rateLimit = limit }
        if let window = edit.window { terms.window = window }
        if let notAfter = edit.notAfter { terms.notAfter = notAfter }
        if let runsInBackground = edit.runsInBackground { terms.runsInBackground = runsInBackground }
        if terms != self.terms { self.terms = terms }
    }
}

/// The progress of a transfer: what an attempt records and leaves behind. It has the properties of
/// ``TransferWorkProgress``.
@dynamicMemberLookup
package indirect enum WorkProgress: Hashable, Sendable {
    /// The progress of a download.
    case download(DownloadProgress)
    /// The progress of a request.
    case request(RequestProgress)
    /// The progress of an upload.
    case upload(UploadProgress)

    /// The progress of its kind of work.
    private var value: any TransferWorkProgress {
        switch self {
        case .download(let progress): progress
        case .request(let progress): progress
        case .upload(let progress): progress
        }
    }

    // Each update of a transfer uses these; through the protocol each use would copy the progress.

    /// The number of bytes received.
    package var received: Int64 {
        switch self {
        case .download(let progress): progress.received
        case .request(let progress): progress.received
        case .upload(let progress): progress.received
        }
    }

    /// The length of the whole in bytes; `nil` if unknown.
    package var total: Int64? {
        switch self {
        case .download(let progress): progress.total
        case .request(let progress): progress.total
        case .upload(let progress): progress.total
        }
    }

    /// A property of the progress of its kind.
    package subscript<Value>(dynamicMember property: KeyPath<any TransferWorkProgress, Value>) -> Value {
        value[keyPath: property]
    }

    /// Whether it has come far enough past `best` to count as progress.
    func isRealProgress(past best: Int64) -> Bool { value.isRealProgress(past: best) }
}
