/// A request and its outcome.
package struct RequestWork: TransferWork {
    /// The request to send.
    package var specification: RequestSpecification
    /// Its outcome so far.
    package var progress = RequestProgress()

    /// Creates a request that was never sent.
    package init(_ specification: RequestSpecification) {
        self.specification = specification
    }

    /// Creates a request with known progress.
    package init(_ specification: RequestSpecification, _ progress: RequestProgress) {
        self.specification = specification
        self.progress = progress
    }

    /// Whether it is unknown if it arrived, so that it must not be sent again (I8).
    package var outcomeIsUnknown: Bool {
        progress.sent != nil && !specification.isRepeatable
    }

    /// An upload to a URL is the same as any other upload to it: only the latest one counts.
    package var identity: String? {
        guard specification.replacesUnfinished, specification.method.isIdempotent, specification.key == nil,
            bodyCopy == nil
        else { return nil }
        let target = specification.url.withoutFragment.withoutSignature()
        return "\(specification.methodName)\n\(target.absoluteString)"
    }

    package var bodyCopy: PinnedFile? { specification.body.copy }
    package var uploadedFile: String? {
        specification.replacesUnfinished ? specification.body.files.first?.path : nil
    }

    /// The length of its body in bytes. Of the body of a form that is over, only the files are left.
    package var bodyLength: Int64 { progress.upload?.length ?? specification.body.length }

    package var kind: TransferKind { .request }
    package var url: HTTPURL { specification.url }
    package var terms: WorkTerms {
        get { specification.terms }
        set { specification.terms = newValue }
    }
    package var exchange: ExchangeTerms { specification.exchange }
    package var renewal: Remedy { .sendAgain }
    package var hasResponse: Bool { true }
    package var failureAfterDeath: TransferFailure? { outcomeIsUnknown ? .outcomeUnknown(at: url) : nil }

    package var failureAfterDeadline: TransferFailure {
        if outcomeIsUnknown { return .outcomeUnknown(at: url) }
        guard progress.sent != nil else {
            return TransferFailure(.deadlinePassed, "Its deadline has passed, so it is not sent any more.")
        }
        return TransferFailure(
            .deadlinePassed,
            "Its deadline has passed, so it is not sent again. An earlier attempt may have arrived at \(url.host)."
        )
    }

    package func isRepeated(by other: RequestWork, isOver: Bool) -> Bool {
        specification.isRepeated(by: other.specification, isOver: isOver)
    }

    /// Returns why an edit would change a request that was sent or is about to be sent, so that its answer would be
    /// recorded for another request; `nil` when the edit does not change it.
    package func refusal(of edit: TransferEdit, to id: TransferID, in state: TransferState) -> StoreError? {
        guard progress.sent != nil || state == .active, !isSameRequest(after: edit) else { return nil }
        guard progress.sent != nil else {
            return .notPossible(
                id,
                "Transfer \(id) is about to be sent, and can no longer be changed.",
                [.pause, .callAgain]
            )
        }
        return .notPossible(
            id,
            "Transfer \(id) was sent as it is and may have arrived, so where it goes and what it says stay the same.",
            [state.isFinal ? .remove : .cancel, .sendAgain]
        )
    }

    /// Whether an edit leaves the sent request unchanged, so that the answer still belongs to it.
    ///
    /// A request that may be repeated accepts other credentials, which prove again who sends it, and a fresh signature
    /// of its URL. A request that is moved to another URL could take effect twice without a message (I8).
    private func isSameRequest(after edit: TransferEdit) -> Bool {
        let isRepeatable = specification.isRepeatable
        if let url = edit.url, url != specification.url {
            guard isRepeatable, url.withoutSignature() == specification.url.withoutSignature() else {
                return false
            }
        }
        if let headers = edit.headers, headers != specification.exchange.headers { return false }
        return isRepeatable || edit.credentials == nil
            || edit.credentials == specification.exchange.credentials
    }

    /// The response with which it succeeded. One that was found to have arrived may have another, or none.
    package var successfulResponse: StoredResponse? {
        progress.response.flatMap { response in
            let isSuccess =
                (200...299).contains(response.status)
                || specification.acceptedStatuses.contains(response.status)
            return isSuccess ? response : nil
        }
    }

    /// The requests whose responses have values that it needs. It comes after them.
    package var sources: [TransferUUID] {
        specification.values.sorted { $0.key < $1.key }.map(\.value.source).reduce(into: []) {
            sources,
            next in
            if !sources.contains(next) { sources.append(next) }
        }
    }

    /// Takes the values that it needs of a completed request.
    package mutating func takeValues(
        from source: TransferUUID,
        of id: TransferID,
        _ response: StoredResponse?
    ) {
        for (name, value) in specification.values where value.source == source {
            // A value is taken once.
            guard progress.values?[name] == nil else { continue }
            progress.values = progress.values ?? [:]
            progress.values?[name] = value.taken(from: response, of: id)
        }
    }

    package mutating func resolve(_ outcome: RequestOutcome) -> Bool {
        guard outcomeIsUnknown else { return false }
        if outcome == .notArrived { progress.startOver() }
        return true
    }

    package mutating func replace(by other: RequestWork) -> Bool {
        guard specification != other.specification else { return false }
        specification = other.specification
        (progress.upload, progress.response) = (nil, nil)
        return true
    }

    package mutating func dropSecrets() {
        specification.dropSecrets()
        progress.values = nil
    }

    package mutating func take(url: HTTPURL) { specification.move(to: url) }

    package mutating func apply(_ edit: TransferEdit) {
        if let credentials = edit.credentials { specification.exchange.credentials = credentials }
        if let headers = edit.headers { specification.exchange.headers = headers }
    }
}

/// The outcome of a request so far.
package struct RequestProgress: TransferWorkProgress, Codable {
    /// When it was last sent with a possible effect. Recorded before the first byte may leave. Cleared when nothing
    /// has left, or when the server says that it did not act.
    package var sent: Instant?
    /// The latest answer.
    package var response: StoredResponse?
    /// How far a body in files has come; `nil` for other bodies.
    package var upload: Upload?
    /// What was taken from earlier responses, by name. It never changes, so that each attempt sends the same message.
    package var values: [String: TakenValue]?

    /// The progress of a body in files.
    package struct Upload: Hashable, Sendable, Codable {
        /// How many bytes have left. Each attempt begins with none.
        package var sent: Int64 = 0
        /// The length of the body in bytes.
        package var length: Int64
    }

    /// Creates the progress of a request that was never sent.
    package init() {}

    /// Forgets all attempts.
    mutating func startOver() {
        let values = values
        self = RequestProgress()
        self.values = values
    }

    // The bytes that take time are counted: those of a body in files, otherwise those of the response.
    package var received: Int64 { upload.map(\.sent) ?? total ?? 0 }
    package var total: Int64? { upload.map(\.length) ?? response.map(\.length) }
    package var note: TransferNote? { nil }
    package var hasAnswer: Bool { response != nil }
    package var startsOver: Bool { true }

    package func isRealProgress(past best: Int64) -> Bool { false }
}

/// The stored response to a request.
public struct StoredResponse: Hashable, Sendable {
    /// The status code.
    public var status: Int
    /// The fields, in the order received.
    public var fields: [HeaderField]
    /// The body, up to the limit.
    public var body: [UInt8]
    /// Whether bytes of the body are missing: it was longer than the limit, or the connection broke.
    public var isTruncated: Bool
    /// The length in bytes of a body that was saved in a file (``RequestSpecification/responseFile``) instead; `nil` for
    /// any other.
    public package(set) var savedLength: Int64?

    /// The length of the body in bytes, as far as it is kept.
    package var length: Int64 { savedLength ?? Int64(body.count) }

    /// Creates a response.
    public init(status: Int, fields: [HeaderField], body: [UInt8], isTruncated: Bool = false) {
        self.status = status
        self.fields = fields
        self.body = body
        self.isTruncated = isTruncated
    }
}

extension TransferFailure {
    /// The failure of a request that may have arrived and must not be repeated automatically.
    package static func outcomeUnknown(at url: HTTPURL) -> TransferFailure {
        TransferFailure(
            .outcomeUnknown,
            "It is unknown whether the request has arrived at \(url.host): it was sent, and no answer came."
        )
    }
}
