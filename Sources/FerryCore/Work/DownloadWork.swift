/// A download and its progress.
package struct DownloadWork: TransferWork {
    /// The specification.
    package var specification: DownloadSpecification
    /// The progress.
    package var progress: DownloadProgress {
        get { sharedProgress.value }
        set { sharedProgress.value = newValue }
    }
    private var sharedProgress: Shared<DownloadProgress>

    /// The progress of every download that has not begun.
    private static let untouched = Shared(DownloadProgress())

    /// Whether nothing is known yet.
    package var isUntouched: Bool { sharedProgress.isIdentical(to: Self.untouched) }

    /// Whether both have the same progress.
    func hasProgress(of other: DownloadWork) -> Bool { sharedProgress == other.sharedProgress }

    /// Creates a download that has not begun.
    package init(_ specification: DownloadSpecification) {
        self.specification = specification
        sharedProgress = Self.untouched
    }

    /// Whether its file may have a numbered name because another file has the requested one.
    ///
    /// The name that the server proposed is not stored. So a name that neither the user nor the URL gave may be a
    /// numbered one.
    package var mayBeNumbered: Bool {
        guard specification.options.existingFile == .autoRename, let name = progress.name,
            case .file(_, let given) = specification.destination
        else { return false }
        return name != given ?? .fromURL(specification.url)
    }

    /// The digest that the file must have; `nil` if none is known.
    package var expectedDigest: Checksum? { specification.expectedDigest(knowing: progress) }

    /// Where the final file and the part file are; `nil` for a stream and while no name is known.
    package var place: FilePlace? { specification.place(knowing: progress) }

    package var kind: TransferKind { .download }
    package var url: HTTPURL { specification.url }
    package var identity: String? { specification.identity }
    package var completedIdentity: String? { specification.completedIdentity }
    package var terms: WorkTerms {
        get { specification.options.terms }
        set { specification.options.terms = newValue }
    }
    package var exchange: ExchangeTerms { specification.options.exchange }
    package var directoryThatNeedsRoom: String? { placeInDirectory?.directory }
    package var hasOtherSources: Bool { !specification.options.mirrors.isEmpty }
    package var fetchedETag: String? { progress.validator.entityTag?.description }
    package var latestStatus: Int? { progress.status }
    package var renewal: Remedy { .addAgain }

    /// The part file, as long as it has one.
    package var residue: WorkResidue? {
        guard let part = progress.part, let place = placeInDirectory else { return nil }
        return .partFile(place, part)
    }

    /// The ``place``. While no name is known, one with another name in the same directory. `nil` for a stream.
    package var placeInDirectory: FilePlace? {
        guard case .file(let directory, _) = specification.destination else { return nil }
        return place
            ?? FilePlace(
                directory: directory,
                name: .fallback,
                part: progress.part?.name,
                root: specification.options.root
            )
    }

    package var hasNothingToLose: Bool { progress.received == 0 && progress.part == nil }

    /// The failure of a download that was stopped and cannot be resumed. The reader of a stream has already taken the
    /// written bytes, and will not return.
    package var failureWhenStopped: TransferFailure? { specification.isStream ? .streamStopped : nil }

    /// The failure in another process, which cannot write to the standard output of this one.
    package var failureInOtherProcess: TransferFailure? {
        specification.destination == .standardOutput ? .standardOutputGone : nil
    }

    /// How it is given up and downloaded again: with other options, a new transfer replaces an ended one.
    package func renewals(isOver: Bool) -> [Remedy] { isOver ? [.addWithOtherOptions] : [.cancel, renewal] }

    package func refusalToShare(_ id: TransferID) -> StoreError? {
        guard failureInOtherProcess != nil else { return nil }
        return .notPossible(
            id,
            "Transfer \(id) writes the same to the standard output of another process.",
            [.waitOrSaveToFile]
        )
    }

    // MARK: Transitions

    package mutating func lostProcess() {
        // That process may have made the last change of the part file.
        if progress.part?.modified != nil { progress.part?.modified = nil }
    }

    package mutating func beginAnew() {
        if progress.status != nil { progress.status = nil }
    }

    package mutating func settleResidue(as fate: ResidueFate) { progress.settleResidue(as: fate) }

    package mutating func dropBytes() {
        progress.forgetBytes()
        let text = "The received bytes were fetched with options that no longer apply; starting over."
        progress.note = TransferNote(.startedOver, text)
    }

    package mutating func take(url: HTTPURL) {
        var exchange = exchange
        if exchange.move(to: url, from: specification.url) { specification.options.exchange = exchange }
        if url.resource != specification.url.resource { progress.mirroring.replaceOwn(specification.url) }
        specification.url = url
    }

    /// Takes over the file of another tool, unless it has bytes of its own.
    package mutating func replace(by other: DownloadWork) -> Bool {
        guard progress.part == nil, other.progress.part?.adoption != nil else { return false }
        progress = other.progress
        return true
    }

    package mutating func renew(url: HTTPURL) -> Bool {
        var renewed = specification
        renewed.url = url
        // The caller may name other ignored parameters; a held transfer keeps its own.
        guard renewed != specification, renewed.identity == specification.identity else { return false }
        specification = renewed
        return true
    }

    package mutating func apply(_ edit: TransferEdit) {
        if case .download(let options)? = edit.options {
            // Bytes of one part say nothing of another.
            let former = specification.options
            if options.range != former.range || options.recipients != former.recipients {
                progress.forgetBytes()
            }
            specification.options = options
            specification.options.mountPoint = options.mountPoint ?? former.mountPoint
        }
        if let credentials = edit.credentials { specification.options.credentials = credentials }
        if let headers = edit.headers { specification.options.headers = headers }
    }

    package mutating func noteAsked(_ url: HTTPURL) {
        if url.resource != specification.url.resource { progress.mirroring.replaceOwn(url) }
    }
}

extension TransferFailure {
    /// The failure of a download to a stream that was paused.
    package static let streamStopped = TransferFailure(
        .streamStopped,
        "The download to a stream was stopped; it cannot be resumed.",
        remedies: [.retry]
    )

    /// The failure of a download to the standard output of another process, because that process is gone.
    fileprivate static let standardOutputGone = TransferFailure(
        .streamLost,
        "The process whose standard output it was is gone.",
        remedies: [.retry]
    )
}
