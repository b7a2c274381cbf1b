/// A download and its progress.
package struct DownloadWork: Hashable, Sendable {
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

    /// The part file, as long as it has one.
    var residue: WorkResidue? {
        guard case .file(let directory, _) = specification.destination, let part = progress.part
        else { return nil }
        return .partFile(place ?? FilePlace(directory: directory, name: .fallback, part: part.name), part)
    }

    /// The failure of one that was stopped and cannot be resumed. The reader of a stream keeps what was written and
    /// does not come back.
    var failureWhenStopped: TransferFailure? { specification.isStream ? .streamStopped : nil }

    /// The failure in another process, which cannot write to the standard output of this one.
    var failureInOtherProcess: TransferFailure? {
        specification.destination == .standardOutput ? .standardOutputGone : nil
    }

    // MARK: Transitions

    /// Notes that its process is gone and may have been writing.
    mutating func lostProcess() {
        // The last change of the part file may be by that process.
        if progress.part?.modified != nil { progress.part?.modified = nil }
    }

    /// Uses another URL from now on.
    mutating func take(url: HTTPURL) {
        if url.origin != specification.url.origin {
            specification.options.credentials = nil
            specification.options.connection.clientCertificate = nil
            specification.options.headers = []
        }
        if url.resource != specification.url.resource { progress.mirroring.replaceOwn(specification.url) }
        specification.url = url
    }

    /// Applies the fields of an edit that only its kind stores.
    mutating func apply(_ edit: TransferEdit) {
        if case .download(let options)? = edit.options { specification.options = options }
        if let credentials = edit.credentials { specification.options.credentials = credentials }
        if let headers = edit.headers { specification.options.headers = headers }
    }

    /// Notes that an attempt used this URL, which may have been replaced since.
    mutating func noteAsked(_ url: HTTPURL) {
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
