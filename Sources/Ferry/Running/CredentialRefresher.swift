import FerryCore
import Logging
import Synchronization

/// Fresh credentials in place of refused ones, for all requests of one engine.
///
/// The application is asked once for all requests with the same origin and the same refused credentials. Requests that were
/// not sent yet wait for the answer, and then use it at once. Fresh credentials stay in memory: they are often valid for an
/// hour only, and a restart costs no more than one refusal and one call.
final class CredentialRefresher: Sendable {
    /// Credentials of an origin, as they are sent (I7).
    fileprivate struct Key: Hashable {
        var origin: Origin
        var authorization: String?
    }

    /// What is known about credentials that a server has refused.
    private enum Refused {
        /// The application is asked for others.
        case asked([@Sendable (RequestMachine.Event) -> Void])
        /// There are others.
        case replaced(Credentials)
        /// There are no others for now, after this number of failures.
        case failed(count: Int, until: Instant)
    }

    /// Credentials that the application gave.
    private struct Fresh {
        var since: Instant
        /// Whether a server has accepted them.
        var works = false
    }

    fileprivate struct Question {
        var key: Key
        var id: TransferID
        var url: HTTPURL
        var failures: Int
    }

    private struct State {
        var refused: [Key: Refused] = [:]
        var fresh: [Key: Fresh] = [:]
        var asking: AsyncStream<Question>.Continuation?

        /// Asks the application for others in place of refused ones.
        mutating func ask(_ question: Question, _ tell: @escaping @Sendable (RequestMachine.Event) -> Void) {
            if refused.count >= CredentialRefresher.limit {
                refused = refused.filter { if case .asked = $0.value { true } else { false } }
                fresh = [:]
            }
            refused[question.key] = .asked([tell])
            asking?.yield(question)
        }
    }

    /// Maximum number of refused credentials that are remembered (I9).
    static let limit = 1_000
    /// Fresh credentials that are refused within this time are wrong, rather than expired.
    static let trial: Duration = .seconds(60)

    private let configuration: EngineConfiguration
    private let seams: EngineSeams
    private let state = Mutex(State())

    init(_ configuration: EngineConfiguration, seams: EngineSeams) {
        (self.configuration, self.seams) = (configuration, seams)
    }

    /// Whether the application can be asked.
    var isAvailable: Bool { configuration.refreshCredentials != nil }

    // MARK: Requests

    /// Finds the credentials for a message.
    ///
    /// - Parameters:
    ///   - isRefused: whether the server has refused those that the message has.
    ///   - tell: called once with what the machine of the request must know, at once or later.
    func find(
        for message: RequestSpecification,
        of id: TransferID,
        isRefused: Bool,
        tell: @escaping @Sendable (RequestMachine.Event) -> Void
    ) {
        let now = seams.clock.now
        let own = Self.key(of: message)
        let event = state.withLock { state -> RequestMachine.Event? in
            // A request without credentials may need none.
            guard isRefused || own.authorization != nil else { return .authorised(nil) }
            if isRefused, state.refused[own] == nil {
                if let fresh = state.fresh[own], !fresh.works,
                    fresh.since.duration(to: now) < Self.trial
                {
                    return .unauthorised(nil)
                }
                state.ask(Question(key: own, id: id, url: message.url, failures: 0), tell)
                return nil
            }
            var (key, latest) = (own, Credentials?.none)
            while let refused = state.refused[key] {
                switch refused {
                case .replaced(let credentials):
                    latest = credentials
                    key.authorization = credentials.authorizationFieldValue
                case .asked(let others):
                    state.refused[key] = .asked(others + [tell])
                    return nil
                case .failed(_, let until) where now < until:
                    return .unauthorised(Self.problem(until: until, at: now))
                case .failed(let count, _):
                    state.ask(Question(key: key, id: id, url: message.url, failures: count), tell)
                    return nil
                }
            }
            return .authorised(latest)
        }
        if let event { tell(event) }
    }

    /// Notes that a server has accepted the credentials of a message.
    func noteAccepted(_ message: RequestSpecification) {
        state.withLock { $0.fresh[Self.key(of: message)]?.works = true }
    }

    private static func key(of message: RequestSpecification) -> Key {
        Key(origin: message.url.origin, authorization: message.exchange.authorization(for: message.url))
    }

    private static func problem(until: Instant, at now: Instant) -> Problem {
        .transient(
            .notAuthorised,
            "The server refused the credentials, and no fresh ones were given.",
            retryAfter: now.duration(to: until)
        )
    }

    // MARK: Asking

    /// Asks the application whenever `questions` has an element, until the task is cancelled.
    func run(_ questions: Questions) async {
        guard let refresh = configuration.refreshCredentials else { return }
        await withDiscardingTaskGroup { group in
            for await question in questions.stream {
                group.addTask { await self.ask(question, refresh) }
            }
            group.cancelAll()
        }
    }

    /// What the application is to be asked during one run of the engine.
    struct Questions: Sendable {
        fileprivate let stream: AsyncStream<Question>
    }

    /// Begins a run of the engine. Questions of an earlier run are dropped.
    func begin() -> Questions {
        let (stream, asking) = AsyncStream.makeStream(of: Question.self)
        state.withLock { state in
            state.refused = state.refused.filter { if case .asked = $0.value { false } else { true } }
            state.asking = asking
        }
        return Questions(stream: stream)
    }

    private func ask(
        _ question: Question,
        _ refresh: @escaping @Sendable (TransferID, HTTPURL) async throws -> Credentials
    ) async {
        let answer = await ApplicationAnswer.of(
            { try await refresh(question.id, question.url) },
            by: seams.clock
        )
        let now = seams.clock.now
        switch answer {
        case .value(let fresh) where fresh.authorizationFieldValue != question.key.authorization:
            tell(question.key, .replaced(fresh), .authorised(fresh)) { state in
                let key = Key(origin: question.key.origin, authorization: fresh.authorizationFieldValue)
                state.fresh[key] = Fresh(since: now)
                // What is fresh again replaces nothing else, so that no replacement leads back to itself. A question
                // about it stays: others wait for its answer.
                if case .asked? = state.refused[key] { return }
                state.refused[key] = nil
            }
        case .value: fail(question, "the same credentials", at: now)
        case .nothing(let reason): fail(question, reason, at: now)
        }
    }

    private func fail(_ question: Question, _ reason: String, at now: Instant) {
        guard !Task.isCancelled else { return }
        configuration.logger.warning(
            "No fresh credentials were given.",
            metadata: ["transfer": "\(question.id)", "error": "\(reason)"]
        )
        let count = question.failures + 1
        let until = now.advanced(by: seams.pause(afterFailures: count))
        tell(
            question.key,
            .failed(count: count, until: until),
            .unauthorised(Self.problem(until: until, at: now))
        )
    }

    /// Notes what has become of refused credentials, and tells all that wait for it.
    private func tell(
        _ key: Key,
        _ outcome: Refused,
        _ event: RequestMachine.Event,
        _ change: (inout State) -> Void = { _ in }
    ) {
        let waiting = state.withLock { state -> [@Sendable (RequestMachine.Event) -> Void] in
            defer {
                state.refused[key] = outcome
                change(&state)
            }
            if case .asked(let waiting)? = state.refused[key] { return waiting }
            return []
        }
        for tell in waiting { tell(event) }
    }
}
