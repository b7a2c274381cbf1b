public import FerryCore

/// Small results that are wanted in memory rather than in a file.
extension TransferEngine {
    /// Fetches a small result whole, such as a thumbnail, a Metalink or a list of digests.
    ///
    /// Does the same as ``fetch(from:limit:options:queue:priority:retries:waitsForNetwork:)``, and waits for the result.
    /// Cancelling the task ends the fetch.
    ///
    /// - Returns: the bytes, decoded if they came in a content coding.
    /// - Throws: as ``ResultHandle/value()``.
    public func data(
        from url: HTTPURL,
        limit: Int,
        options: DownloadOptions = DownloadOptions(),
        queue: String? = NewTransfer.defaultQueue,
        priority: Int = 0,
        retries: Int = 0,
        waitsForNetwork: Bool = true
    ) async throws -> [UInt8] {
        let result = fetch(
            from: url,
            limit: limit,
            options: options,
            queue: queue,
            priority: priority,
            retries: retries,
            waitsForNetwork: waitsForNetwork
        )
        return try await withTaskCancellationHandler {
            try await result.value()
        } onCancel: {
            result.cancel()
        }
    }

    /// Begins to fetch a small result. The fetch has its place in the queue when this returns. Nothing is recorded, and the
    /// engine need not be running. The fetch ends when the engine is closed.
    ///
    /// - Redirects, credentials, proxies and timeouts follow the rules of a download.
    /// - The slots of the queue and its limit for each host count fetches and transfers together, and its order, priority, pause
    ///   and rate limit apply. When the queue is full and cancels the oldest, another fetch gives way. Fetches of other
    ///   processes do not count.
    /// - A caller that asks for a result that is already being fetched shares that fetch, which then counts as the latest.
    /// - A result with a validator is kept in memory, up to ``EngineConfiguration/resultMemory`` for all of them. The next call
    ///   asks the server whether that version is current (RFC 9110 §13), and returns the kept bytes if it is.
    ///
    /// - Parameters:
    ///   - url: the URL of the result.
    ///   - limit: the maximum length, in bytes.
    ///   - options: the options of the request. Fields and credentials stay with the origin of `url` (I7). A result that was
    ///     fetched with other options is not used.
    ///   - queue: the queue; with `nil` the fetch waits for no queue.
    ///   - priority: the higher priority runs first within the queue.
    ///   - retries: maximum number of retries after an attempt that may succeed later. The server's `Retry-After` is honoured.
    ///   - waitsForNetwork: whether to wait while there is no route to the host (I10), rather than to fail.
    public func fetch(
        from url: HTTPURL,
        limit: Int,
        options: DownloadOptions = DownloadOptions(),
        queue: String? = NewTransfer.defaultQueue,
        priority: Int = 0,
        retries: Int = 0,
        waitsForNetwork: Bool = true
    ) -> ResultHandle {
        let result = ResultCache.Request(url: url.withoutFragment, options: options)
        return scheduler.fetches.fetch(
            FetchCall(
                FetchRunner.Request(result: result, limit: limit),
                host: url.host,
                firstHost: options.exchange.firstHost(for: url),
                queue: queue,
                priority: priority,
                retries: retries,
                waitsForNetwork: waitsForNetwork
            )
        )
    }
}
