import Ferry

/// Fetches the small documents that have to be known before there is a transfer.
struct DocumentFetch: Sendable {
    /// The most bytes of a file of digests that is fetched, and of a Metalink.
    static let longestList = 1 << 20, longestMetalink = Metalink.longest

    /// Fetches at most so many bytes.
    let bytes: @Sendable (HTTPURL, Int, DownloadOptions) async throws -> [UInt8]

    init(_ bytes: @escaping @Sendable (HTTPURL, Int, DownloadOptions) async throws -> [UInt8]) {
        self.bytes = bytes
    }

    /// Fetches as the engine does.
    init(_ engine: TransferEngine) {
        self.init { url, limit, options in
            try await engine.data(from: url, limit: limit, options: options)
        }
    }

    /// Fetches a document.
    ///
    /// - Parameter loss: what has not been done for the want of it, in a sentence.
    /// - Throws: ``CommandFailure`` with the status of what went wrong on the way.
    func document(
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
        // There is no transfer yet that could be steered.
        if failure.hint?.contains("{id}") == true { failure.hint = nil }
        guard failure.hint == nil else { return failure }
        let isFinal = (error as? Problem)?.disposition == .permanent
        failure.hint = isFinal ? "Check the address." : "The same command tries again."
        return failure
    }
}
