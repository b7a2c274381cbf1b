package import FerryCore
package import FerryUploads

/// What is known of object stores while an engine runs: credentials, regions of buckets, and how far clocks are apart. All
/// of it can be found again, so none of it is stored.
package actor ObjectStoreSessions {
    /// Gives the access to a bucket.
    package typealias Source = @Sendable (ObjectStoreAccess.Question) async throws -> ObjectStoreAccess

    private let source: Source?
    private let clock: any WallClock
    private var accesses: [ObjectStoreAccess.Question: Task<ObjectStoreAccess, any Error>] = [:]
    private var regions: [ObjectStoreAccess.Question: String] = [:]
    private var corrections: [ObjectStoreAccess.Question: Duration] = [:]

    /// Fresh credentials are asked for this long before the present ones expire.
    private static let margin = Duration.seconds(300)

    /// Creates the sessions of an engine.
    ///
    /// - Parameter source: gives accesses; `nil` if there are none.
    package init(_ source: Source?, clock: any WallClock) {
        (self.source, self.clock) = (source, clock)
    }

    /// How requests to a bucket are signed now.
    struct Terms: Sendable {
        var access: ObjectStoreAccess
        /// The clock of the store is ahead of this machine's by this much.
        var correction: Duration
    }

    /// Finds out how requests to a bucket are signed. Whoever asks meanwhile gets the same answer.
    ///
    /// - Throws: ``Problem``; `CancellationError`.
    func terms(for question: ObjectStoreAccess.Question) async throws -> Terms {
        var access = try await access(for: question)
        if let end = access.expiration, clock.now.advanced(by: Self.margin) >= end {
            renew(question)
            access = try await self.access(for: question)
        }
        if let region = regions[question] { access.addressing.region = region }
        return Terms(access: access, correction: corrections[question] ?? .zero)
    }

    private func access(for question: ObjectStoreAccess.Question) async throws -> ObjectStoreAccess {
        guard let source else {
            throw Problem.permanent(
                .notAuthorised,
                "The program has no credentials for \(question.store).",
                remedies: [.retry]
            )
        }
        let task = accesses[question] ?? Task { try await source(question) }
        accesses[question] = task
        do {
            return try await task.value
        } catch {
            // The next request asks again.
            if accesses[question] == task { accesses[question] = nil }
            guard !(error is CancellationError) else { throw error }
            guard let failure = error as? ObjectStoreAccess.Failure else {
                throw Problem.transient(
                    .notAuthorised,
                    "The program gave no credentials for \(question.store)."
                )
            }
            throw failure.isTransient
                ? Problem.transient(.notAuthorised, failure.message)
                : Problem.permanent(.notAuthorised, failure.message, remedies: [.retry])
        }
    }

    /// Asks for fresh credentials with the next request.
    func renew(_ question: ObjectStoreAccess.Question) { accesses[question] = nil }

    /// Takes the region that a store has told for a bucket.
    func learn(region: String, for question: ObjectStoreAccess.Question) { regions[question] = region }

    /// Takes the difference between the clocks.
    func learn(correction: Duration, for question: ObjectStoreAccess.Question) {
        corrections[question] = correction
    }
}
