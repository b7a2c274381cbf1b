package import FerryCore
package import FerryUploads

/// What is known of object stores while an engine runs: credentials, regions of buckets, and how far clocks are apart. All
/// of it can be found again, so none of it is stored.
package actor ObjectStoreSessions {
    /// Gives the access to a bucket.
    package typealias Source = @Sendable (ObjectStoreAccess.Question) async throws -> ObjectStoreAccess

    private let source: Source?
    private let clock: any WallClock
    private var sessions: [ObjectStoreAccess.Question: Session] = [:]
    private var latest = 0

    /// Fresh credentials are asked for this long before the present ones expire.
    static let margin = Duration.seconds(300)
    /// Credentials that are given with less time left than that are used for this time.
    private static let shortest = Duration.seconds(60)
    /// Maximum number of questions whose answers are remembered (I9).
    static let limit = 1_000

    /// What is known of one bucket.
    private struct Session {
        var access: Access?
        /// The region that the store has told.
        var region: String?
        /// The clock of the store is ahead of this machine's by this much.
        var correction = Duration.zero
    }

    /// An access, which is asked for once for all that wait.
    private struct Access {
        /// Its number, which no other access has.
        let number: Int
        let ticket: ResultTicket<ObjectStoreAccess>
        let asking: Task<Void, Never>
        /// How many wait for it.
        var waiting = 0
        /// When a fresh one is asked for; `nil` if never, or if it has not come yet.
        var due: Instant?
        /// What signs with it. It keeps the key that it derives, and is dropped with the access.
        var signer: ObjectSigner?
    }

    /// Creates the sessions of an engine.
    ///
    /// - Parameter source: gives accesses; `nil` if there are none.
    package init(_ source: Source?, clock: any WallClock) {
        (self.source, self.clock) = (source, clock)
    }

    /// How requests to a bucket are signed now.
    struct Terms: Sendable {
        var access: ObjectStoreAccess
        /// What signs requests with the access.
        let signer: ObjectSigner
        /// The number of the access, to ask for another one.
        let number: Int
        /// The clock of the store is ahead of this machine's by this much.
        let correction: Duration
    }

    /// Finds out how requests to a bucket are signed.
    ///
    /// - Throws: ``Problem``; `CancellationError`.
    func terms(for question: ObjectStoreAccess.Question) async throws -> Terms {
        var (access, number) = try await access(for: question)
        let session = sessions[question] ?? Session()
        if let region = session.region { access.addressing.region = region }
        // Amazon's servers of this region tell the right one of any bucket.
        if question.store == .s3, access.addressing.region == nil, access.addressing.endpoint == nil {
            access.addressing.region = "us-east-1"
        }
        let known = session.access.flatMap { $0.number == number ? $0.signer : nil }
        do throws(SigningRefusal) {
            var signer: ObjectSigner
            if let known {
                signer = known
            } else {
                signer = try ObjectSigner(question.store, access.credentials, access.version)
            }
            try signer.prepare(for: access.addressing, at: clock.now.advanced(by: session.correction))
            if session.access?.number == number { sessions[question]?.access?.signer = signer }
            return Terms(access: access, signer: signer, number: number, correction: session.correction)
        } catch {
            throw Problem.refused(error)
        }
    }

    // MARK: What stores tell

    /// Asks for fresh credentials with the next request, unless that has been done since this access was given.
    func renew(_ number: Int, of question: ObjectStoreAccess.Question) {
        if sessions[question]?.access?.number == number { sessions[question]?.access = nil }
    }

    /// Takes the region that a store has told for a bucket.
    func learn(region: String, for question: ObjectStoreAccess.Question) {
        sessions[question, default: Session()].region = region
    }

    /// Takes the difference between the clocks.
    func learn(correction: Duration, for question: ObjectStoreAccess.Question) {
        sessions[question, default: Session()].correction = correction
    }

    // MARK: Asking

    private func access(
        for question: ObjectStoreAccess.Question
    ) async throws -> (access: ObjectStoreAccess, number: Int) {
        if let due = sessions[question]?.access?.due, clock.now >= due { sessions[question]?.access = nil }
        var access = try sessions[question]?.access ?? ask(question)
        access.waiting += 1
        sessions[question, default: Session()].access = access
        do {
            let value = try await access.ticket.value()
            leave(access.number, of: question)
            return (value, access.number)
        } catch {
            leave(access.number, of: question)
            throw error
        }
    }

    private func ask(_ question: ObjectStoreAccess.Question) throws(Problem) -> Access {
        guard let source else {
            throw .permanent(
                .notAuthorised,
                "The program has no credentials for \(question.store).",
                remedies: [.retry]
            )
        }
        if sessions.count >= Self.limit { sessions = sessions.filter { ($0.value.access?.waiting ?? 0) > 0 } }
        latest += 1
        let (number, ticket, clock) = (latest, ResultTicket<ObjectStoreAccess>(), clock)
        let asking = Task {
            let answer = await ApplicationAnswer.of(
                { () async throws -> Result<ObjectStoreAccess, ObjectStoreAccess.Failure> in
                    do {
                        return .success(try await source(question))
                    } catch let failure as ObjectStoreAccess.Failure {
                        return .failure(failure)
                    }
                },
                by: clock
            )
            let result = Self.result(answer, for: question)
            end(number, of: question, with: result)
            ticket.end(result)
        }
        return Access(number: number, ticket: ticket, asking: asking)
    }

    /// Notes an answer.
    private func end(
        _ number: Int,
        of question: ObjectStoreAccess.Question,
        with answer: Result<ObjectStoreAccess, any Error>
    ) {
        guard sessions[question]?.access?.number == number else { return }
        guard case .success(let access) = answer else {
            // The next request asks again.
            sessions[question]?.access = nil
            return
        }
        let now = clock.now
        sessions[question]?.access?.due = access.expiration.map { end in
            let early = end.advanced(by: .zero - Self.margin)
            return early > now ? early : now.advanced(by: Self.shortest)
        }
    }

    private static func result(
        _ answer: ApplicationAnswer<Result<ObjectStoreAccess, ObjectStoreAccess.Failure>>,
        for question: ObjectStoreAccess.Question
    ) -> Result<ObjectStoreAccess, any Error> {
        switch answer {
        case .value(.success(let access)): return .success(access)
        case .value(.failure(let failure)) where !failure.isTransient:
            let remedies: [Remedy] = [.retry]
            return .failure(Problem.permanent(.notAuthorised, failure.message, remedies: remedies))
        case .value(.failure(let failure)):
            return .failure(Problem.transient(.notAuthorised, failure.message))
        case .nothing:
            let message = "The program gave no credentials for \(question.store)."
            return .failure(Problem.transient(.notAuthorised, message))
        }
    }

    /// Notes that one caller waits no longer. When none is left, the question is withdrawn.
    private func leave(_ number: Int, of question: ObjectStoreAccess.Question) {
        guard var access = sessions[question]?.access, access.number == number else { return }
        access.waiting -= 1
        sessions[question]?.access = access
        if access.waiting == 0, !access.ticket.isOver {
            access.asking.cancel()
            sessions[question]?.access = nil
        }
    }
}

extension Problem {
    /// A request that cannot be signed.
    static func refused(_ refusal: SigningRefusal) -> Problem {
        .permanent(.notAuthorised, refusal.description)
    }
}
