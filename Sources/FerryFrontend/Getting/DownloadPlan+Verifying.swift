import Ferry

/// Whether each download has a digest to be verified with.
extension DownloadPlan {
    /// How mirrors without a digest are used, and what is compared; `nil` if none of these downloads has some.
    package func mirrorNote(for downloads: [PlannedDownload]) -> String? {
        guard case .none = digests, let download = downloads.first(where: { $0.hasUnverifiedMirrors }) else {
            return nil
        }
        guard !download.specification.resumesStrictly else {
            return "Without a digest, ferry uses a mirror here only when a URL fails."
        }
        return "Without a digest, ferry uses several servers at once only if each sends a strong ETag and "
            + "their dates do not differ. It compares bytes where the parts of two servers meet. "
            + "--checksum proves every byte."
    }

    /// Warns of files whose digests have unknown types. With `--require-checksum`, refuses a download without a digest.
    ///
    /// A digest that the server sends with the file does not count, as it is not known before the download starts.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for the first download without a digest.
    mutating func checkDigests() throws(CommandFailure) {
        for (index, download) in singles.enumerated() {
            let described = described[index].flatMap { $0.file.unknownDigestTypes.isEmpty ? nil : $0 }
            try requireDigest(of: download, described: described)
            if let described, !download.hasDigest {
                let name = TerminalText.safe(described.file.name.rawValue)
                notes.append(
                    "\(described.source.name) has only digests of unknown types (\(described.unknownTypes)) for \(name); "
                        + "it will not be verified."
                )
            }
        }
    }

    /// With `--require-checksum`, refuses a download without a digest.
    ///
    /// - Parameter described: a file of a Metalink that has only digests of unknown types.
    func requireDigest(of download: PlannedDownload, described: DescribedFile? = nil) throws(CommandFailure) {
        guard terms.requiresChecksum, !download.hasDigest else { return }
        let reason = described.map {
            " \($0.source.name) has only digests of unknown types (\($0.unknownTypes))."
        }
        throw .usage(
            "No digest is known for \(download.specification.url.redacted).\(reason ?? "")",
            hint: "Give one with --checksum or --checksum-file, or omit --require-checksum. "
                + "Nothing was downloaded or added."
        )
    }
}

extension PlannedDownload {
    /// Whether its bytes are compared with a digest that is known before it starts.
    fileprivate var hasDigest: Bool {
        specification.options.checksum != nil || specification.options.pieces != nil
    }
}

extension DescribedFile {
    /// The types of digests that Ferry does not know, for a person.
    fileprivate var unknownTypes: String {
        file.unknownDigestTypes
            .map { $0.isEmpty ? "a hash without a type" : TerminalText.safe($0) }
            .joined(separator: ", ")
    }
}
