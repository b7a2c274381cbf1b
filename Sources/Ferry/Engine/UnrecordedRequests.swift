import FerryCore

/// Requests that belong to no transfer. They are sent and repeated as those of transfers are, within the engine's rate limit, and no
/// row knows them.
struct UnrecordedRequests: Sendable {
    let seams: EngineSeams
    private let terms: ExchangeTerms
    private let userAgent: String
    private let retries: Int
    private let rate: EngineRate
    private let network: NetworkWatch
    private let willWait: @Sendable (RequestWait) -> Void

    /// - Parameters:
    ///   - engine: must stay open as long as they are made.
    ///   - retries: maximum number of retries of a request after a failure that may pass.
    ///   - willWait: called before each wait for a retry.
    init(
        _ engine: TransferEngine,
        _ terms: ExchangeTerms,
        retries: Int,
        willWait: @escaping @Sendable (RequestWait) -> Void = { _ in }
    ) {
        (seams, self.terms, userAgent) = (engine.seams, terms, engine.configuration.userAgent)
        self.retries = retries
        rate = engine.scheduler.rate
        network = engine.scheduler.network
        self.willWait = willWait
    }

    /// The sender of one request.
    ///
    /// - Parameter home: the origin for which the fields and credentials of the terms are meant.
    func sender(to url: HTTPURL, home: Origin) -> RequestSender {
        let now = seams.clock.now
        // The engine may not run yet.
        rate.look(at: now, offset: seams.clock.offset(at: now))
        return RequestSender(
            url: url,
            home: home,
            terms: terms,
            userAgent: userAgent,
            seams: seams,
            pace: Pace([rate.bucket])
        )
    }

    /// Makes attempts until one succeeds, or fails for good.
    ///
    /// - Throws: ``TransferFailure``, `CancellationError`, and what `attempt` throws besides a ``Problem``.
    func untilOneSucceeds<Value>(_ attempt: () async throws -> Value) async throws -> Value {
        var failures = 0
        while true {
            do {
                return try await attempt()
            } catch let problem as Problem {
                guard case .transient(let retryAfter) = problem.disposition, failures < retries else {
                    throw problem.failure
                }
                failures += 1
                var random = seams.random
                let policy = RetryPolicy(retries: retries)
                let delay = policy.delay(afterAttempt: failures, retryAfter: retryAfter, using: &random)
                willWait(
                    RequestWait(
                        after: problem.failure,
                        for: delay,
                        attempt: failures + 1,
                        of: policy.attempts
                    )
                )
                try await seams.clock.sleep(for: delay)
            }
        }
    }

    /// The problem of an attempt, once it is known whether a route leads to the first peer of its request.
    func judged(_ problem: Problem, at url: HTTPURL) async -> Problem {
        await network.judged(problem, of: terms.firstHost(for: url))
    }
}
