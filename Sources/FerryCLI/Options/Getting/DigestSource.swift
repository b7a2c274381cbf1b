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

    /// Reads the arguments.
    ///
    /// - Throws: ``CommandFailure`` with status 15 for a file that cannot be read, and 64 for invalid arguments.
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
