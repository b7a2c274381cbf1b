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

    /// Whether it may have arrived and may not be repeated, so that it must not be sent again (I8).
    package var outcomeIsUnknown: Bool {
        mayHaveArrived && !specification.isRepeatable
    }

    /// Whether it may have arrived, so that a person may say what became of it when it has failed. A method that only
    /// reads has no effect to arrive (RFC 9110 §9.2.1).
    package var mayHaveArrived: Bool {
        progress.sent != nil && progress.unsaved == nil && !specification.method.isSafe
    }

    /// An upload to a URL is the same as any other upload to it: only the latest one counts.
    package var identity: String? { identity(at: specification.url) }
    package var completedIdentity: String? { identity(at: specification.url.withoutPassword) }

    private func identity(at url: HTTPURL) -> String? {
        guard specification.replacesUnfinished, specification.method.isIdempotent, specification.key == nil,
            bodyCopy == nil
        else { return nil }
        return "\(specification.methodName)\n\(url.withoutFragment.withoutSignature().absoluteString)"
    }

    package var bodyCopy: PinnedFile? { specification.body.copy }
    /// The file with its response, as long as that has not its final name, and then the copy of its body.
    package var residue: WorkResidue? {
        guard let target = specification.responseFile, case .file(let claim)? = progress.unsaved else {
            return residueWhenCompleted
        }
        return .partFile(FilePlace(directory: target.directory, name: target.name, part: claim.name), claim)
    }
    package var residueWhenCompleted: WorkResidue? {
        bodyCopy == nil || progress.hasRemovedCopy == true ? nil : .bodyCopy
    }
    package var filesToSend: [PinnedFile] {
        progress.unsaved == nil ? specification.body.files.filter { !$0.isCopy } : []
    }
    package var uploadedFile: String? {
        specification.replacesUnfinished ? specification.body.files.first?.path : nil
    }

    /// The length of its body in bytes. If it is over and was never sent, only the files of a form are left.
    package var bodyLength: Int64 {
        progress.upload?.length ?? progress.bodyLength ?? specification.body.length
    }

    package var kind: TransferKind { .request }
    package var url: HTTPURL { specification.url }
    package var terms: WorkTerms {
        get { specification.terms }
        set { specification.terms = newValue }
    }
    package var exchange: ExchangeTerms { specification.exchange }
    package var latestStatus: Int? { progress.response?.status }
    package var renewal: Remedy { .sendAgain }
    package var hasResponse: Bool { true }
    package var onlyAnswer: Int? {
        specification.isRepeatable || progress.sent == nil ? nil : progress.response?.status
    }
    package var directoryThatNeedsRoom: String? { specification.responseFile?.directory }
    package var failureAfterDeath: TransferFailure? { outcomeIsUnknown ? .outcomeUnknown(at: url) : nil }

    package var failureAfterDeadline: TransferFailure {
        if progress.unsaved != nil {
            let text = "Its deadline has passed. It took effect, and its response is not saved yet."
            return TransferFailure(.deadlinePassed, text)
        }
        if outcomeIsUnknown { return .outcomeUnknown(at: url) }
        guard progress.sent != nil else {
            return TransferFailure(.deadlinePassed, "Its deadline has passed, so it is not sent any more.")
        }
        return TransferFailure(
            .deadlinePassed,
            "Its deadline has passed, so it is not sent again. An earlier attempt may have arrived at \(url.hostAndPort)."
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
        progress.response.flatMap { specification.isSuccess($0.status) ? $0 : nil }
    }

    /// The path of the file that has the body of its response; `nil` if it is stored, and without a response.
    package var responsePath: String? {
        guard let target = specification.responseFile, progress.response?.savedLength != nil else {
            return nil
        }
        guard case .partFile(let place, _)? = residue else { return target.place.path }
        return place.partPath
    }

    /// Where the values come from that it needs of earlier responses.
    package var valueSources: [ValueSource] {
        specification.values.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Takes the values that it needs of a completed request.
    package mutating func take(_ values: ResponseValues) {
        for (name, value) in specification.values where value.source == values.source {
            // A value is taken once.
            guard progress.values?[name] == nil else { continue }
            progress.values = progress.values ?? [:]
            progress.values?[name] = values[value.place]
        }
    }

    /// Whether a claim may record that its attempt sends it. An attempt that only saves the response, or first asks the
    /// server what it has, may send nothing.
    package var isRecordedByClaims: Bool {
        specification.isRepeatable && progress.unsaved == nil && progress.former == nil
            && !specification.asksAboutConditions
    }

    /// Records with a claim that its attempt sends it, so that the attempt need not.
    ///
    /// If the process dies before the first byte has left, it counts as sent. It may be repeated, so it is sent later in
    /// either case.
    ///
    /// - Returns: whether a claim may record that (``isRecordedByClaims``).
    mutating func recordSending(at now: Instant) -> Bool {
        guard isRecordedByClaims else { return false }
        let former = progress.sent
        progress.begin(specification, sent: now)
        progress.sentBefore = former
        return true
    }

    package mutating func resolve(_ outcome: RequestOutcome) -> Bool {
        guard mayHaveArrived else { return false }
        switch outcome {
        case .notArrived: progress.startOver()
        case .arrived: progress.note = .countedAsArrived
        }
        return true
    }

    package mutating func replace(by other: RequestWork) -> Bool {
        guard specification != other.specification else { return false }
        specification = other.specification
        (progress.upload, progress.bodyLength, progress.response) = (nil, nil, nil)
        (progress.unsaved, progress.note) = (nil, nil)
        return true
    }

    /// Takes over what is known of a completed upload of the same file to the same URL, so that the server is asked before the
    /// file is sent again.
    package mutating func update(_ completed: RequestWork) {
        guard identity != nil, specification.method == .put, !specification.sendsAgain,
            specification.responseFile == nil,
            // A signature is for one method.
            specification.url == specification.url.withoutSignature(),
            let file = specification.body.onlyFile, let response = completed.successfulResponse,
            completed.bodyLength == file.length
        else { return }
        progress.former = FormerUpload(
            of: completed.specification.body.onlyFile,
            as: file,
            response.fields.first { $0.isNamed("ETag") }?.value,
            response.fields
        )
    }

    package mutating func settleResidue(as fate: ResidueFate) {
        // The copy of a body is Ferry's own: no one can keep it.
        if fate == .removed, residue == .bodyCopy { progress.hasRemovedCopy = true }
        if fate != .owed { progress.unsaved = nil }
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
    /// What ``sent`` was before a claim recorded the sending; `nil` if no claim has recorded it.
    package var sentBefore: Instant?
    /// The latest answer.
    package var response: StoredResponse?
    /// How far a body has come whose sending counts as progress (``RequestSpecification/uploadLength``); `nil` for other bodies.
    package var upload: Upload?
    /// The length in bytes of any other body that the latest attempt sends. It stays when the bytes are dropped. `nil` for an
    /// empty body, and before.
    package var bodyLength: Int64?
    /// Where the whole body of ``response`` is until its file (``RequestSpecification/responseFile``) has its name; `nil`
    /// without such a body. With it, the next attempt sends nothing.
    package var unsaved: UnsavedBody?
    /// What was taken from earlier responses, by name. It never changes, so that each attempt sends the same message.
    package var values: [String: TakenValue]?
    /// A completed upload of the same file to the same URL; `nil` if the file is sent without a question.
    package var former: FormerUpload?
    /// Why nothing was sent, why it was sent again, or why it counts as arrived; `nil` otherwise.
    package var note: TransferNote?
    /// Whether the copy of its body was removed, because it is over; `nil` before, and for other bodies.
    package var hasRemovedCopy: Bool?

    /// The whole body of a response whose file has not its name, as far as is known.
    package enum UnsavedBody: Hashable, Sendable, Codable {
        /// It is stored with the response, because no file could take it.
        case stored
        /// It is in this file, durably. The file may have its final name already.
        case file(PartFileClaim)
    }

    /// The progress of a body.
    package struct Upload: Hashable, Sendable, Codable {
        /// How many bytes have left. Each attempt begins with none.
        package var sent: Int64 = 0
        /// The length of the body in bytes.
        package var length: Int64
    }

    /// Creates the progress of a request that was never sent.
    package init() {}

    /// Begins an attempt: forgets what earlier ones have left.
    ///
    /// - Parameter sent: when it was last sent.
    mutating func begin(_ specification: RequestSpecification, sent: Instant?) {
        // No later attempt asks again what the server has.
        let reason = note?.code == .sentAgain ? note : nil
        startOver()
        note = reason
        upload = specification.uploadLength.map { Upload(length: $0) }
        self.sent = sent
    }

    /// Forgets all attempts.
    mutating func startOver() {
        let values = values
        self = RequestProgress()
        self.values = values
    }

    // The bytes that take time are counted: those of an upload, otherwise those of the response. What a server says
    // about an error is no progress.
    package var received: Int64 { upload.map(\.sent) ?? total ?? 0 }
    package var total: Int64? {
        upload.map(\.length) ?? response.flatMap { $0.status < 400 ? $0.length : nil }
    }
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

    /// Notes that its whole body is in a file now.
    mutating func moveToFile() {
        guard savedLength == nil else { return }
        (savedLength, body) = (length, [])
    }

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
            "The request was sent to \(url.hostAndPort), and no answer came. It may have arrived."
        )
    }
}
