/// Small results, which are wanted in memory rather than in a file.
extension TransferEngine {
    /// Fetches a small result whole, such as a thumbnail, a Metalink or a list of digests, by the rules that hold for a
    /// download: its redirects, credentials, proxies and timeouts. It is no transfer: it is asked for once, nothing is
    /// recorded, and the engine need not be running.
    ///
    /// What came with a validator is kept in memory, up to ``EngineConfiguration/resultMemory`` for all of them. When the
    /// same is asked for again, the server is asked whether that is still its version (RFC 9110 §13), and what is kept is
    /// the result if it says so.
    ///
    /// - Parameters:
    ///   - url: where it is.
    ///   - limit: the most bytes that it may have.
    ///   - options: how it is asked for. Fields and credentials stay with the origin of `url` (I7). What was kept for
    ///     other options is not used.
    /// - Throws: ``Problem`` when it cannot be had, is longer than `limit`, or came in a content coding that cannot be
    ///   undone; `CancellationError` when the
    ///   task is cancelled.
    public func data(
        from url: HTTPURL,
        limit: Int,
        options: DownloadOptions = DownloadOptions()
    ) async throws -> [UInt8] {
        let fetcher = ResultFetcher(seams: seams, userAgent: configuration.userAgent, results: results)
        return try await fetcher.data(from: url, limit: limit, options: options)
    }
}
