/// A download: what was asked for, and how far it has come.
public struct DownloadWork: Hashable, Sendable {
    /// What was asked for.
    public var specification: DownloadSpecification
    /// How far it has come.
    public var progress: Checkpoint {
        get { sharedProgress.value }
        set { sharedProgress.value = newValue }
    }
    private var sharedProgress: Shared<Checkpoint>

    /// Where all begin.
    private static let untouched = Shared(Checkpoint())

    /// Creates a download that has not begun.
    public init(_ specification: DownloadSpecification) {
        self.specification = specification
        sharedProgress = Self.untouched
    }

    /// Whether its file may have a numbered name in place of the one that was asked for, which another file has.
    ///
    /// What name the server proposed is not kept; one that neither the user nor the URL gave may be a numbered one.
    package var mayBeNumbered: Bool {
        guard specification.options.existingFile == .autoRename, let name = progress.name,
            case .file(_, let given) = specification.destination
        else { return false }
        return name != given ?? .fromURL(specification.url)
    }

    /// The digest that the file is held against, as far as one is known.
    package var expectedDigest: Checksum? { specification.expectedDigest(knowing: progress) }

    /// Asks another URL from now on.
    mutating func take(url: HTTPURL) {
        if url.origin != specification.url.origin {
            specification.options.credentials = nil
            specification.options.headers = []
        }
        if url.resource != specification.url.resource { progress.mirroring.replaceOwn(specification.url) }
        specification.url = url
    }
}
