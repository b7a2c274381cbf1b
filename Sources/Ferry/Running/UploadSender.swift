import FerryCore

/// Sends single requests of an upload, and takes their whole answers.
struct UploadSender {
    private let specification: UploadSpecification
    private let userAgent: String
    private let seams: EngineSeams
    private let pace: Pace

    init(
        _ specification: UploadSpecification,
        _ configuration: EngineConfiguration,
        seams: EngineSeams,
        pace: Pace = Pace()
    ) {
        (self.specification, self.seams, self.pace) = (specification, seams, pace)
        userAgent = configuration.userAgent
    }

    /// - Throws: ``Problem``, and `CancellationError`.
    func answer(
        to request: UploadRequest,
        carrying body: RequestBody,
        in watched: WatchedExchange,
        _ listener: (any ExchangeListener)? = nil
    ) async throws -> UploadAnswer {
        let sender = RequestSender(
            url: request.url,
            // A server may have chosen another origin for the upload. It gets no credentials (I7).
            home: specification.url.origin,
            terms: specification.exchange,
            userAgent: userAgent,
            seams: seams,
            pace: pace,
            takesBareRedirects: true,
            watched: watched
        )
        return try await sender.withResponse(
            to: request.method,
            adding: request.fields,
            body: body,
            listener: listener
        ) { head, stream, answerer in
            UploadAnswer(
                head.status,
                head.headers,
                body: try await stream.collect(upTo: UploadAnswer.longestBody),
                from: answerer.server
            )
        }
    }
}
