/// A download and its progress.
package struct DownloadWork: Hashable, Sendable {
    /// The specification.
    package var specification: DownloadSpecification
    /// The progress.
    package var progress: Checkpoint {
        get { sharedProgress.value }
        set { sharedProgress.value = newValue }
    }
    private var sharedProgress: Shared<Checkpoint>

    /// The progress of every download that has not begun.
    private static let untouched = Shared(Checkpoint())

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

    /// Uses another URL from now on.
    mutating func take(url: HTTPURL) {
        if url.origin != specification.url.origin {
            specification.options.credentials = nil
            specification.options.headers = []
        }
        if url.resource != specification.url.resource { progress.mirroring.replaceOwn(specification.url) }
        specification.url = url
    }
}
