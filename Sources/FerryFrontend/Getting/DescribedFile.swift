import Ferry

/// A file of a Metalink, and the document that describes it.
struct DescribedFile: Hashable, Sendable {
    let file: Metalink.File
    let source: DocumentSource

    /// The URLs, the best first.
    var urls: [HTTPURL] { file.mirrors.map(\.url) }

    /// A different digest by the same algorithm in the Metalink.
    func contradiction(of checksum: Checksum) -> Checksum? {
        file.checksums.first { $0.algorithm == checksum.algorithm && $0 != checksum }
    }

    /// The folder of the file below the directory of the command (RFC 5854 §4.1.2.1), with names that are safe (I6); `nil` for
    /// none.
    var folder: String? {
        // A name may begin with a combining mark, which is one character with the slash.
        let names = file.path.utf8.split(separator: UInt8(ascii: "/")).dropLast().compactMap {
            FileName.sanitized(String(Substring($0)))?.rawValue
        }
        return names.isEmpty ? nil : names.joined(separator: "/")
    }

    /// Whether secrets in the options go to this address. The user named only the server of the document; the author of
    /// the document chose the others (I7).
    func takesSecrets(to url: HTTPURL) -> Bool {
        source.url.map { $0.origin == url.origin } ?? true
    }

    /// The download from one of its URLs, with the others as mirrors.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for an invalid name given with `-o`.
    func transfer(from url: HTTPURL, under terms: DownloadTerms) throws(CommandFailure) -> PlannedDownload {
        var options = takesSecrets(to: url) ? terms.options : terms.options.withoutSecrets
        options.mirrors = urls.filter { $0 != url }
        options.length = file.size
        options.pieces = file.pieces
        let directory = folder.map { FilePath.absolute($0, in: terms.directory) } ?? terms.directory
        if terms.output == nil, folder != nil { options.root = terms.directory }
        let destination: Destination =
            terms.output == nil
            ? .file(directory: directory, name: options.isSealed ? file.name.sealed : file.name)
            : try Destination(userGiven: terms.output, in: terms.directory, terms.environment)
        return terms.transfer(url, destination, options)
    }
}
