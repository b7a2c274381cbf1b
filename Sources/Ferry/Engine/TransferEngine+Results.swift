/// Small results that are wanted in memory rather than in a file.
extension TransferEngine {
    /// Fetches a small result whole, such as a thumbnail, a Metalink or a list of digests. Redirects, credentials,
    /// proxies and timeouts follow the rules of a download. It is not a transfer: it is tried once, nothing is
    /// recorded, and the engine need not be running.
    ///
    /// A result with a validator is kept in memory, up to ``EngineConfiguration/resultMemory`` for all of them. The
    /// next call asks the server whether that version is current (RFC 9110 §13), and returns the kept bytes if it is.
    ///
    /// - Parameters:
    ///   - url: the URL of the result.
    ///   - limit: the maximum length, in bytes.
    ///   - options: the options of the request. Fields and credentials stay with the origin of `url` (I7). Results kept
    ///     for other options are not used.
    /// - Throws: ``Problem`` when the result cannot be fetched, is longer than `limit`, or has a content coding that
    ///   cannot be decoded; `CancellationError` when the task is cancelled.
    public func data(
        from url: HTTPURL,
        limit: Int,
        options: DownloadOptions = DownloadOptions()
    ) async throws -> [UInt8] {
        let fetcher = ResultFetcher(seams: seams, userAgent: configuration.userAgent, results: results)
        return try await fetcher.data(from: url, limit: limit, options: options)
    }
}
