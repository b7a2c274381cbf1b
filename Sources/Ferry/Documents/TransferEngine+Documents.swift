extension TransferEngine {
    /// Fetches a small document whole, such as a Metalink or a list of digests, by the rules that hold for a download:
    /// its redirects, credentials, proxies and timeouts. It is asked for once, nothing is recorded, and the engine need
    /// not be running.
    ///
    /// - Parameters:
    ///   - url: where the document is.
    ///   - limit: the most bytes that it may have.
    ///   - options: how it is asked for. Fields and credentials stay with the origin of `url` (I7).
    /// - Throws: ``Problem`` when it cannot be had, is longer than `limit`, or came encoded; `CancellationError` when the
    ///   task is cancelled.
    public func document(
        at url: HTTPURL,
        limit: Int,
        options: DownloadOptions = DownloadOptions()
    ) async throws -> [UInt8] {
        let sender = RequestSender(
            url: url,
            home: url.origin,
            options: options,
            userAgent: configuration.userAgent,
            transport: seams.transport,
            pace: Pace()
        )
        let now = seams.clock.now
        return try await sender.withResponse(to: .whole) { head, body, source in
            let facts = ResponseFacts(head, from: source, at: now)
            guard head.status == 200 else {
                throw StatusProblem.problem(for: facts, url: source, hasWorked: false)
            }
            if let coding = facts.contentCoding {
                throw Problem.permanent(
                    .badResponse,
                    "\(source.host) sent a document in the coding \(coding), which was not asked for."
                )
            }
            // What says beforehand that it is too long is not waited for, and one byte more than may be tells the rest.
            let isTooLong = head.bodyLength.map { $0 > Int64(limit) } ?? false
            let bytes = isTooLong ? [] : try await body.collect(upTo: limit + 1)
            guard !isTooLong, bytes.count <= limit else {
                throw Problem.permanent(
                    .badResponse,
                    "\(source.host) sends a document of more than \(ByteCount(Int64(limit)).formatted)."
                )
            }
            return bytes
        }
    }
}
