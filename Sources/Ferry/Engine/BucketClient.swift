package import FerryCore
package import FerryUploads
import HTTPTypes

/// Asks a bucket about what it has, without a transfer. Requests are signed and repeated as those of transfers are.
package struct BucketClient: Sendable {
    private let requests: UnrecordedRequests

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - engine: must stay open as long as the client is used.
    ///   - retries: maximum number of retries of a request after a failure that may pass.
    ///   - willWait: called before each wait for a retry.
    package init(
        _ engine: TransferEngine,
        _ terms: ExchangeTerms,
        retries: Int,
        willWait: @escaping @Sendable (RequestWait) -> Void = { _ in }
    ) {
        requests = UnrecordedRequests(engine, terms, retries: retries, willWait: willWait)
    }

    /// Lists what a bucket has under a prefix. Only one page is kept.
    ///
    /// - Throws: ``TransferFailure``, `CancellationError`, and what `use` throws.
    package func list<Entry: BucketEntry>(
        _ kind: Entry.Type,
        under prefix: ObjectPrefix,
        _ use: ([Entry]) async throws -> Void
    ) async throws {
        var listing = BucketListing<Entry>(prefix)
        while !listing.isOver {
            let page: [Entry]
            (page, listing) = try await self.page(of: listing)
            if !page.isEmpty { try await use(page) }
        }
    }

    /// Reads the next page of a listing that is not over.
    ///
    /// - Returns: the entries, of which there may be none, and the listing after the page.
    /// - Throws: ``TransferFailure`` and `CancellationError`.
    package func page<Entry: BucketEntry>(
        of listing: BucketListing<Entry>
    ) async throws -> (entries: [Entry], listing: BucketListing<Entry>) {
        let url = try listing.url
        return try await requests.untilOneSucceeds {
            var next = listing
            let answer = try await answer(to: .get, url)
            let entries = try next.read(answer, at: requests.seams.clock.now)
            return (entries, next)
        }
    }

    /// Ends an upload in parts, and removes its parts. One that is gone already is no failure.
    ///
    /// - Throws: ``TransferFailure`` and `CancellationError`.
    package func abort(_ upload: ListedUpload, under prefix: ObjectPrefix) async throws {
        guard let name = prefix.object(upload.key), let uploads = prefix.store.multipartProtocol else {
            return
        }
        let url = HTTPURL(name)
        var record = UploadRecord(url: url, length: 0, fileName: "")
        record.handle = UploadHandle(url: url, name: upload.id)
        let request = try uploads.request(for: .abort, of: record)
        try await requests.untilOneSucceeds { [record] in
            let answer = try await answer(to: request.method, request.url)
            switch uploads.reading(answer, to: .abort, of: record, at: requests.seams.clock.now) {
            case .removed, .gone: break
            case .failed(let problem): throw problem
            default:
                throw Problem.permanent(
                    .badResponse,
                    "The answer to the removal of an upload means nothing."
                )
            }
        }
    }

    private func answer(to method: HTTPRequest.Method, _ url: HTTPURL) async throws -> UploadAnswer {
        let sender = requests.sender(to: url, home: url.origin)
        return try await sender.withResponse(to: method) { head, stream, answerer in
            // What another server says is not signed for, and nothing of the bucket.
            guard answerer.hops.isEmpty else {
                throw Problem.permanent(
                    .redirectRefused,
                    "\(answerer.server.hostAndPort) answered in place of the bucket."
                )
            }
            return UploadAnswer(
                head.status,
                head.headers,
                body: try await stream.collect(upTo: UploadAnswer.longestBody),
                from: answerer.server
            )
        }
    }
}

extension ObjectStore {
    /// What uploads in parts speak; `nil` if the store lists none.
    package var multipartProtocol: (any UploadProtocol)? {
        switch self {
        case .s3: UploadProtocolName.s3.wire
        case .oss: UploadProtocolName.oss.wire
        case .gs: nil
        }
    }
}
