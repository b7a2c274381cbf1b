import Ferry

/// Where the digests come from that are not given one by one.
enum DigestSource: Sendable {
    /// There are none.
    case none
    /// A file that has been read.
    case list(ChecksumList)
    /// A file that is yet to be fetched.
    case awaited(HTTPURL)
    /// A file for each download, beside it on its server.
    case sidecars

    /// Whether nothing has to be fetched to know them.
    var areKnown: Bool {
        switch self {
        case .none, .list: true
        case .awaited, .sidecars: false
        }
    }

    /// Reads the arguments.
    ///
    /// - Throws: ``CommandFailure`` with status 15 for a file that cannot be read, and 64 for what makes no sense.
    init(_ arguments: DownloadArguments, _ environment: ProcessEnvironment) throws(CommandFailure) {
        if arguments.checksumSidecar {
            self = .sidecars
        } else if let text = arguments.checksumFile {
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
