import FerryCore

/// The attempts at a request that belongs to no transfer. They pause as those of a transfer do.
struct RepeatedAttempts: Sendable {
    /// Maximum number of retries after a failure that may pass.
    let retries: Int
    let seams: EngineSeams

    /// Makes attempts until one succeeds, or fails for good.
    ///
    /// - Throws: ``TransferFailure``, `CancellationError`, and what `attempt` throws besides a ``Problem``.
    func untilOneSucceeds<Result>(_ attempt: () async throws -> Result) async throws -> Result {
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
                let delay = RetryPolicy(retries: retries)
                    .delay(afterAttempt: failures, retryAfter: retryAfter, using: &random)
                try await seams.clock.sleep(for: delay)
            }
        }
    }
}
