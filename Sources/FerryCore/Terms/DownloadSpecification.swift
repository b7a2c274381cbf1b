/// What a download must do.
public struct DownloadSpecification: Hashable, Sendable, Codable {
    /// The URL as the user gave it.
    public var url: HTTPURL
    /// Where the bytes go.
    public var destination: Destination
    /// How to download.
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

    /// The default options, shared by most specifications.
    private static let plainOptions = Shared(DownloadOptions())

    /// Creates a specification.
    public init(url: HTTPURL, destination: Destination, options: DownloadOptions = DownloadOptions()) {
        self.url = url
        self.destination = destination
        sharedOptions = options == Self.plainOptions.value ? Self.plainOptions : Shared(options)
    }

    /// Shares the storage of another specification's options if they are equal. Many transfers of one list have the
    /// same.
    package mutating func shareOptions(with other: DownloadSpecification) {
        if sharedOptions == other.sharedOptions { sharedOptions = other.sharedOptions }
    }

    /// Whether the storage of the options is that of another specification, so that they are equal.
    package func sharesOptions(with other: DownloadSpecification) -> Bool {
        sharedOptions.isIdentical(to: other.sharedOptions)
    }

    /// Whether the bytes go to a stream, which ends with the process that holds it.
    package var isStream: Bool {
        if case .stream = destination { true } else { false }
    }

    /// Whether only a strong validator allows resuming, because the user asked for it or because a stream has no bytes
    /// to compare.
    package var resumesStrictly: Bool { options.strictResume || options.isSealed || isStream }

    /// Two downloads are the same if they have the same destination, range and recipients, and the same URL without its
    /// fragment, its signature and the parameters in ``DownloadOptions/ignoredQuery``.
    ///
    /// A store never holds two unfinished transfers with the same identity. A failed one may exist beside an
    /// unfinished one. The same URL with another signature is the same transfer with a fresh URL.
    package var identity: String { identity(of: url) }

    /// Hashes the parts of ``identity`` without making its text.
    package func hashIdentity(into hasher: inout Hasher) {
        hasher.combine(url.withoutFragment.withoutSignature(ignoring: options.ignoredQuery))
        hasher.combine(destination)
        hasher.combine(options.range)
        hasher.combine(options.recipients)
    }

    /// The identity of a completed download: ``identity`` without the URL's password. A store keeps a digest of it,
    /// which must not help to guess a password.
    package var completedIdentity: String { identity(of: url.withoutPassword) }

    private func identity(of url: HTTPURL) -> String {
        let target =
            switch destination {
            case .file(let directory, let name): "file\n\(directory)\n\(name?.rawValue ?? "")"
            case .stream(let path): "stream\n\(path)"
            }
        let resource = url.withoutFragment.withoutSignature(ignoring: options.ignoredQuery)
        let part = options.range.map { "\nrange\n\($0)" } ?? ""
        let sealed = options.isSealed ? "\nsealed\n\(options.recipients.joined(separator: "\n"))" : ""
        return "\(resource.absoluteString)\n\(target)\(part)\(sealed)"
    }
}
