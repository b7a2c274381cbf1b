/// What a download is asked to do.
public struct DownloadSpecification: Hashable, Sendable, Codable {
    /// The URL as the user gave it.
    public var url: HTTPURL
    /// Where the bytes go.
    public var destination: Destination
    /// How it is to be made.
    public var options: DownloadOptions {
        get { sharedOptions.value }
        set { sharedOptions.value = newValue }
    }
    private var sharedOptions: Shared<DownloadOptions>

    private enum CodingKeys: String, CodingKey {
        case url
        case destination
        case sharedOptions = "options"
    }

    /// The options of most.
    private static let plainOptions = Shared(DownloadOptions())

    /// Creates a specification.
    public init(url: HTTPURL, destination: Destination, options: DownloadOptions = DownloadOptions()) {
        self.url = url
        self.destination = destination
        sharedOptions = options == Self.plainOptions.value ? Self.plainOptions : Shared(options)
    }

    /// Uses the storage of another one's options, if they are the same: many of one list have the same.
    package mutating func shareOptions(with other: DownloadSpecification) {
        if sharedOptions == other.sharedOptions { sharedOptions = other.sharedOptions }
    }

    /// Whether the bytes go to a stream, which ends with the process that holds it.
    public var isStream: Bool {
        if case .stream = destination { true } else { false }
    }

    /// Whether only a strong validator lets it go on: as was asked for, or because there is nothing to compare.
    public var resumesStrictly: Bool { options.strictResume || isStream }

    /// What makes two downloads the same one: the destination, and the URL without its fragment, its signature and the
    /// parameters that ``DownloadOptions/ignoredQuery`` names.
    ///
    /// Two transfers with the same identity that are not over never exist in one store; a failed one may stand beside one
    /// that is not over. One that is asked for with another signature is the same transfer with a fresh URL.
    public var identity: String { identity(of: url) }

    /// What makes a completed download the same one: its ``identity`` without the URL's password. A store keeps a digest of
    /// it, which must not be a way to guess a password.
    public var completedIdentity: String { identity(of: url.withoutPassword) }

    private func identity(of url: HTTPURL) -> String {
        let target =
            switch destination {
            case .file(let directory, let name): "file\n\(directory)\n\(name?.rawValue ?? "")"
            case .stream(let path): "stream\n\(path)"
            }
        let resource = url.withoutFragment.withoutSignature(ignoring: options.ignoredQuery)
        return "\(resource.absoluteString)\n\(target)"
    }
}
