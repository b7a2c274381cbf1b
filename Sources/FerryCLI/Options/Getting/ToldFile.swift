import Ferry

/// A file of a Metalink, and the document that tells of it.
struct ToldFile: Hashable, Sendable {
    let file: Metalink.File
    let source: DocumentSource

    /// The addresses, the best first.
    var urls: [HTTPURL] { file.mirrors.map(\.url) }

    /// Another digest by the same algorithm that the document tells.
    func contradiction(of checksum: Checksum) -> Checksum? {
        file.checksums.first { $0.algorithm == checksum.algorithm && $0 != checksum }
    }

    /// Whether what is secret in the options goes to this address: who wrote the document chose the server, and not
    /// the user, who named that of the document (I7).
    func takesSecrets(to url: HTTPURL) -> Bool {
        source.url.map { $0.origin == url.origin } ?? true
    }

    /// The download from one of its addresses, with the others as mirrors.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for a name given with `-o` that is none.
    func transfer(from url: HTTPURL, under terms: DownloadTerms) throws(CommandFailure) -> PlannedDownload {
        var options = takesSecrets(to: url) ? terms.options : terms.options.withoutSecrets
        options.mirrors = urls.filter { $0 != url }
        options.length = file.size
        options.pieces = file.pieces
        let destination: Destination =
            terms.output == nil
            ? .file(directory: terms.directory, name: file.name)
            : try Destination(userGiven: terms.output, in: terms.directory, terms.environment)
        return terms.transfer(url, destination, options)
    }
}
