import Ferry

/// The source of digests that are not given one by one.
enum DigestSource: Sendable {
    /// No source.
    case none
    /// A list that has been read.
    case list(ChecksumList)
    /// A list to fetch.
    case awaited(HTTPURL)
    /// A digest file for each download, beside it on its server.
    case sidecars

    /// Whether the digests are known without fetching a document.
    var areKnown: Bool {
        switch self {
        case .none, .list: true
        case .awaited, .sidecars: false
        }
    }

    /// Reads the input.
    ///
    /// - Throws: ``CommandFailure`` with status 15 for a file that cannot be read, and 64 for invalid input.
    init(_ input: DownloadInput, _ environment: ProcessEnvironment) throws(CommandFailure) {
        if input.checksumSidecar {
            self = .sidecars
        } else if let text = input.checksumFile {
            let source = try DocumentSource(parsing: text, option: "--checksum-file")
            if let list = try ChecksumList(source, environment) {
                self = .list(list)
            } else {
                self = source.url.map { .awaited($0) } ?? .none
            }
        } else {
            self = .none
        }
    }
}
