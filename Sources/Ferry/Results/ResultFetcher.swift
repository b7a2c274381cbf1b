import FerryCore
import HTTPTypes

/// Fetches small results into memory, and keeps those that may be requested again.
struct ResultFetcher: Sendable {
    let seams: EngineSeams
    let userAgent: String
    let results: ResultCache
    let pace: Pace
    let watched: WatchedExchange

    /// Fetches a whole result.
    func data(of request: ResultCache.Request, limit: Int) async throws -> [UInt8] {
        if let kept = results.result(of: request), kept.bytes.count <= limit,
            let bytes = try await fetch(request, limit: limit, unless: kept)
        {
            return bytes
        }
        guard let bytes = try await fetch(request, limit: limit, unless: nil) else {
            throw Problem.permanent(
                .badResponse,
                "\(request.url.hostAndPort) answered 304 (Not Modified) to a request without conditions."
            )
        }
        return bytes
    }

    /// Fetches a result, unless the kept one is current.
    ///
    /// - Returns: `nil` when the server answers 304 (Not Modified) and no result from the same URL is kept.
    private func fetch(
        _ request: ResultCache.Request,
        limit: Int,
        unless kept: ResultCache.Result?
    ) async throws -> [UInt8]? {
        let sender = RequestSender(
            url: request.url,
            home: request.url.origin,
            terms: request.options.exchange,
            userAgent: userAgent,
            seams: seams,
            pace: pace,
            watched: watched
        )
        let now = seams.clock.now
        let results = results
        let decoder = seams.decoder
        return try await sender.withResponse(adding: kept?.conditions ?? [:]) {
            head,
            body,
            answerer in
            let source = answerer.url
            if head.status == 304 {
                // A validator tells versions of one resource apart; it says nothing about another resource.
                guard let kept, kept.source == source else { return nil }
                return kept.bytes
            }
            let bytes = try await body.bytes(of: head, from: source, limit: limit, decoder: decoder, at: now)
            results.keep(ResultCache.Result(bytes, head, from: source, at: now), for: request)
            return bytes
        }
    }
}

extension ResponseBody {
    /// The whole body of a successful answer, decoded if necessary.
    fileprivate func bytes(
        of head: ResponseHead,
        from source: HTTPURL,
        limit: Int,
        decoder: @Sendable (ContentCoding) -> (any ContentDecoder)?,
        at now: Instant
    ) async throws -> [UInt8] {
        let facts = ResponseFacts(head, from: source, at: now)
        guard head.status == 200 else {
            throw StatusProblem.problem(for: facts, url: source, hasWorked: false)
        }
        let undoing = try Self.decoder(for: facts, from: source, decoder)
        let tooLong = Problem.permanent(
            .badResponse,
            "\(source.hostAndPort) sends more than \(ByteCount(Int64(limit)).formatted)."
        )
        // Fails at once if the announced length is too long; otherwise one byte beyond the limit shows it.
        if let length = head.bodyLength, length > Int64(limit) { throw tooLong }
        var bytes = try await collect(upTo: limit + 1)
        if let undoing, bytes.count <= limit { bytes = try undoing.decoded(bytes, upTo: limit + 1) }
        guard bytes.count <= limit else { throw tooLong }
        return bytes
    }

    /// The decoder for the answer's content coding; `nil` if the body is already the result.
    private static func decoder(
        for facts: ResponseFacts,
        from source: HTTPURL,
        _ decoder: (ContentCoding) -> (any ContentDecoder)?
    ) throws(Problem) -> (any ContentDecoder)? {
        guard let coding = facts.contentCoding else { return nil }
        switch ContentForm(facts, names: [source.lastPathSegment].compactMap(\.self)) {
        case .plain: return nil
        case .decoded(let known):
            if let decoder = decoder(known) { return decoder }
        case .unsupported: break
        }
        throw .permanent(
            .badResponse,
            "\(source.hostAndPort) answered in the coding \(coding), which was not requested and cannot be decoded."
        )
    }
}

extension ContentDecoder {
    /// The decoded bytes, at most `limit` of them, however much they expand.
    fileprivate func decoded(_ bytes: [UInt8], upTo limit: Int) throws(Problem) -> [UInt8] {
        var decoded: [UInt8] = []
        do throws(StorageProblem) {
            try decode(bytes.span.bytes) { piece throws(StorageProblem) in
                let rest = limit - decoded.count
                piece.extracting(first: min(rest, piece.byteCount)).withUnsafeBytes { decoded += $0 }
                // Stops inflating at the limit.
                guard piece.byteCount < rest else { throw DecodedEnough.problem }
            }
            try finish()
        } catch {
            guard decoded.count < limit else { return decoded }
            throw error.problem
        }
        return decoded
    }
}

/// Ends the decoding of a result that is too long.
private enum DecodedEnough {
    static let problem = StorageProblem(.permanent(.badResponse, "The answer is too long."), errno: 0)
}
