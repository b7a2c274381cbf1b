package import Ferry

/// Fetches the small documents that are needed before a transfer is added.
package struct DocumentFetch: Sendable {
    /// Maximum length of a fetched list of digests, and of a Metalink, in bytes.
    package static let longestList = 1 << 20, longestMetalink = Metalink.longest

    /// Fetches a URL, with a maximum length in bytes.
    let bytes: @Sendable (HTTPURL, Int, DownloadOptions) async throws -> [UInt8]

    init(_ bytes: @escaping @Sendable (HTTPURL, Int, DownloadOptions) async throws -> [UInt8]) {
        self.bytes = bytes
    }

    /// Fetches with the engine.
    package init(_ engine: TransferEngine) {
        self.init { url, limit, options in
            // A person waits for it, so the command waits for no queue, and fails without a network.
            try await engine.data(
                from: url,
                limit: limit,
                options: options,
                queue: nil,
                waitsForNetwork: false
            )
        }
    }

    /// Fetches a document.
    ///
    /// - Parameter loss: a sentence that says what was not done without the document.
    /// - Throws: ``CommandFailure`` with the status of the failure.
    package func document(
        _ url: HTTPURL,
        limit: Int,
        options: DownloadOptions,
        loss: String = "Nothing was downloaded or added."
    ) async throws(CommandFailure) -> [UInt8] {
        do {
            return try await bytes(url, limit, options)
        } catch {
            throw Self.failure(error, at: url, loss: loss)
        }
    }

    private static func failure(_ error: any Error, at url: HTTPURL, loss: String) -> CommandFailure {
        var failure = CommandFailure(error)
        let reason = TerminalText.clause(failure.message)
        failure.message = "\(url.redacted) could not be fetched: \(reason). \(loss)"
        failure.hint = failure.hint ?? "Repeat the command to try again."
        return failure
    }
}
