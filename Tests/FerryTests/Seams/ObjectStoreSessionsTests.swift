import FerryCore
import FerryTesting
import HTTPTypes
import Synchronization
import Testing

@testable import Ferry

@Suite("Credentials of buckets", .timeLimit(.minutes(10)))
struct ObjectStoreSessionsTests {
    private let clock = ManualClock()
    private let question = ObjectStoreAccess.Question(
        store: .s3,
        bucket: "bucket",
        reference: ObjectStoreReference()
    )

    /// An application that gives numbered access keys, at once or when the test opens the gate.
    private final class Keys: Sendable {
        private struct State {
            var count = 0
            var isOpen = true
        }

        private let state = Mutex(State())
        private let arrivals = AsyncStream.makeStream(of: Void.self)
        private let withdrawals = AsyncStream.makeStream(of: Void.self)
        private let gate = AsyncStream.makeStream(of: Void.self)
        let lifetime: Duration?
        let clock: ManualClock

        init(_ clock: ManualClock, lifetime: Duration? = nil, isOpen: Bool = true) {
            (self.clock, self.lifetime) = (clock, lifetime)
            state.withLock { $0.isOpen = isOpen }
        }

        var count: Int { state.withLock { $0.count } }

        /// Returns when a question has come.
        func arrival() async { for await _ in arrivals.stream { return } }

        /// Returns when a question was withdrawn.
        func withdrawal() async { for await _ in withdrawals.stream { return } }

        func open() { gate.continuation.finish() }

        func access() async throws -> ObjectStoreAccess {
            let (number, isOpen) = state.withLock { state in
                state.count += 1
                return (state.count, state.isOpen)
            }
            arrivals.continuation.yield()
            if !isOpen {
                for await _ in gate.stream {}
                if Task.isCancelled { withdrawals.continuation.yield() }
            }
            return ObjectStoreAccess(
                ObjectStoreCredentials(accessKey: "key \(number)", secret: "s"),
                expiration: lifetime.map { clock.now.advanced(by: $0) }
            )
        }
    }

    private func sessions(_ keys: Keys) -> ObjectStoreSessions {
        ObjectStoreSessions({ _ in try await keys.access() }, clock: clock)
    }

    private func key(_ sessions: ObjectStoreSessions) async throws -> String {
        try await sessions.terms(for: question).access.credentials.accessKey
    }

    @Test("all that wait get the same answer, and later ones too")
    func askedOnce() async throws {
        let keys = Keys(clock, isOpen: false)
        let sessions = sessions(keys)
        let waiting = (0..<20).map { _ in Task { try await key(sessions) } }
        await keys.arrival()
        keys.open()
        for task in waiting { #expect(try await task.value == "key 1") }
        #expect(try await key(sessions) == "key 1")
        #expect(keys.count == 1)
    }

    @Test("of many whose credentials were refused, only the first has others asked for")
    func renewedOnce() async throws {
        let keys = Keys(clock)
        let sessions = sessions(keys)
        let refused = try await sessions.terms(for: question).number
        for _ in 0..<20 {
            await sessions.renew(refused, of: question)
            #expect(try await key(sessions) == "key 2")
        }
        #expect(keys.count == 2)
    }

    @Test("requests are signed with the credentials that are used now")
    func signedAnew() async throws {
        let sessions = sessions(Keys(clock))
        let url = try HTTPURL(parsing: "s3://bucket/key")
        for number in 1...2 {
            let terms = try await sessions.terms(for: question)
            let again = try await sessions.terms(for: question)
            for terms in [terms, again] {
                let sent = try terms.signer.sent(
                    .get,
                    url,
                    [],
                    [:],
                    nil,
                    terms.access.addressing,
                    at: clock.now
                )
                #expect(sent.fields[.authorization]?.contains("Credential=key \(number)/") == true)
            }
            await sessions.renew(terms.number, of: question)
        }
    }

    @Test("others are asked for 5 minutes before the end")
    func renewedAhead() async throws {
        let keys = Keys(clock, lifetime: .seconds(3_600))
        let sessions = sessions(keys)
        #expect(try await key(sessions) == "key 1")
        clock.jump(to: clock.now.advanced(by: .seconds(3_299)))
        #expect(try await key(sessions) == "key 1")
        clock.jump(to: clock.now.advanced(by: .seconds(1)))
        #expect(try await key(sessions) == "key 2")
    }

    @Test("credentials that come with little time left are not asked for with each request")
    func shortLived() async throws {
        let keys = Keys(clock, lifetime: .seconds(200))
        let sessions = sessions(keys)
        for _ in 0..<5 { #expect(try await key(sessions) == "key 1") }
        clock.jump(to: clock.now.advanced(by: .seconds(60)))
        #expect(try await key(sessions) == "key 2")
    }

    @Test("who is cancelled waits no longer; when no one is left, the question is withdrawn and asked anew")
    func cancelled() async throws {
        let keys = Keys(clock, isOpen: false)
        let sessions = sessions(keys)
        let only = Task { try await key(sessions) }
        await keys.arrival()
        only.cancel()
        await #expect(throws: CancellationError.self) { try await only.value }
        await keys.withdrawal()
        let next = Task { try await key(sessions) }
        await keys.arrival()
        keys.open()
        #expect(try await next.value == "key 2")
    }

    @Test("a failure says what the application says, and the next request asks again")
    func failing() async throws {
        let calls = Mutex(0)
        let sessions = ObjectStoreSessions(
            { _ in
                let number = calls.withLock { count in
                    count += 1
                    return count
                }
                switch number {
                case 1: throw ObjectStoreAccess.Failure("The vault is sealed.", isTransient: true)
                case 2: throw ObjectStoreAccess.Failure("There is no such profile.")
                case 3: throw Telling(secret: "geheim")
                default:
                    return ObjectStoreAccess(ObjectStoreCredentials(accessKey: "a", secret: "s"))
                }
            },
            clock: clock
        )
        let first = await #expect(throws: Problem.self) { try await key(sessions) }
        #expect(first?.failure.message == "The vault is sealed." && first?.disposition != .permanent)
        let second = await #expect(throws: Problem.self) { try await key(sessions) }
        #expect(second?.failure.message == "There is no such profile." && second?.disposition == .permanent)
        let third = await #expect(throws: Problem.self) { try await key(sessions) }
        #expect(third?.failure.message.contains("geheim") == false && third?.disposition != .permanent)
        #expect(try await key(sessions) == "a")
        let none = ObjectStoreSessions(nil, clock: clock)
        let missing = await #expect(throws: Problem.self) { try await key(none) }
        #expect(missing?.failure.code == .notAuthorised && missing?.disposition == .permanent)
    }

    private struct Telling: Error { var secret: String }

    @Test("versions of an object share the access to their bucket; other profiles have their own")
    func questions() {
        var (one, other) = (ObjectStoreReference(), ObjectStoreReference())
        one.objectVersion = "1"
        #expect(ObjectStoreAccess.Question(store: .s3, bucket: "bucket", reference: one) == question)
        other.profile = "work"
        #expect(ObjectStoreAccess.Question(store: .s3, bucket: "bucket", reference: other) != question)
    }

    @Test("Amazon's us-east-1 is asked where no region is known")
    func standardRegion() async throws {
        let keys = Keys(clock)
        let sessions = sessions(keys)
        #expect(try await sessions.terms(for: question).access.addressing.region == "us-east-1")
        await sessions.learn(region: "eu-west-3", for: question)
        #expect(try await sessions.terms(for: question).access.addressing.region == "eu-west-3")
        let oss = ObjectStoreAccess.Question(
            store: .oss,
            bucket: "bucket",
            reference: ObjectStoreReference()
        )
        #expect(try await sessions.terms(for: oss).access.addressing.region == nil)
    }
}
