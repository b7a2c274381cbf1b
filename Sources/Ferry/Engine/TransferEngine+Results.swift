public import FerryCore

/// Small results that are wanted in memory rather than in a file.
extension TransferEngine {
    /// Fetches a small result whole, such as a thumbnail, a Metalink or a list of digests.
    ///
    /// It is ``fetch(from:limit:options:queue:priority:retries:waitsForNetwork:)``, and waits for the result. Cancelling the task
    /// ends the fetch.
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

    /// Begins to fetch a small result, which has its place in the queue when this returns. Nothing of it is recorded, and the
    /// engine need not be running; it ends when the engine is closed.
    ///
    /// - Redirects, credentials, proxies and timeouts follow the rules of a download.
    /// - The slots of the queue and its bound for each host count results and transfers together, and its order, priority, pause
    ///   and rate limit apply. When it is full and cancels the oldest, another result gives way. Results in memory of other
    ///   processes do not count.
    /// - Who asks for a result that is being fetched gets that one, and makes it the latest of its queue.
    /// - A result with a validator is kept in memory, up to ``EngineConfiguration/resultMemory`` for all of them. The next call
    ///   asks the server whether that version is current (RFC 9110 §13), and returns the kept bytes if it is.
    ///
    /// - Parameters:
    ///   - url: the URL of the result.
    ///   - limit: the maximum length, in bytes.
    ///   - options: the options of the request. Fields and credentials stay with the origin of `url` (I7). Results for other
    ///     options are not used.
    ///   - queue: the queue; `nil` for none, so that it waits for no queue.
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
            FetchAsk(
                FetchRunner.Request(result: result, limit: limit),
                host: url.host,
                firstHost: options.connection(to: url).peer(for: url),
                queue: queue,
                priority: priority,
                retries: retries,
                waitsForNetwork: waitsForNetwork
            )
        )
    }
}
