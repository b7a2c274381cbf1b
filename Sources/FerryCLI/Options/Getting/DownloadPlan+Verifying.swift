import Ferry

/// Whether each download has a digest to be verified with.
extension DownloadPlan {
    /// Warns of files whose digests have unknown types. With `--require-checksum`, refuses a download without a digest.
    ///
    /// A digest that the server sends with the file does not count, as it is not known before the download starts.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for the first download without a digest.
    mutating func checkDigests() throws(CommandFailure) {
        for (index, transfer) in transfers.enumerated() {
            let options = transfer.specification.options
            guard options.checksum == nil, options.pieces == nil else { continue }
            let told = told[index].flatMap { $0.file.unknownDigestTypes.isEmpty ? nil : $0 }
            guard !terms.requiresChecksum else {
                let reason = told.map {
                    " \($0.source.name) has only digests of unknown types (\($0.unknownTypes))."
                }
                throw .usage(
                    "No digest is known for \(transfer.specification.url.redacted).\(reason ?? "")",
                    hint: "Give one with --checksum or --checksum-file, or omit --require-checksum. "
                        + "Nothing was downloaded or added."
                )
            }
            if let told {
                let name = TerminalText.safe(told.file.name.rawValue)
                warnings.append(
                    "\(told.source.name) has only digests of unknown types (\(told.unknownTypes)) for \(name); "
                        + "it will not be verified."
                )
            }
        }
    }
}

extension ToldFile {
    /// The types of digests that Ferry does not know, for a person.
    fileprivate var unknownTypes: String {
        file.unknownDigestTypes
            .map { $0.isEmpty ? "a hash without a type" : TerminalText.safe($0) }
            .joined(separator: ", ")
    }
}
