import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Synchronization
import Testing

@Suite("Fresh credentials for refused ones", .timeLimit(.minutes(10)))
struct RefusedCredentialsTests {
    private struct Refusal: Error {}

    /// Which requests the application was asked about.
    private final class Hook: Sendable {
        let calls = Mutex<[(id: TransferID, url: HTTPURL)]>([])
        private let answers: Mutex<[Credentials?]>

        /// - Parameter answers: what it returns in turn, the last for ever; with `nil` it throws.
        init(_ answers: Credentials?...) { self.answers = Mutex(answers) }

        var count: Int { calls.withLock { $0.count } }

        func answer(_ id: TransferID, _ url: HTTPURL) throws -> Credentials {
            calls.withLock { $0.append((id, url)) }
            let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            guard let answer else { throw Refusal() }
            return answer
        }
    }

    private func engine(_ bench: Bench, _ hook: Hook, slots: Int = 3) -> TransferEngine {
        bench.engine(
            .everything(untilDrained: false),
            slots: slots,
            configure: { $0.refreshCredentials = { try hook.answer($0, $1) } }
        )
    }

    private func bench(accepting token: String) throws -> Bench {
        let bench = try Bench()
        var resource = ScriptedResource(bench.bytes)
        resource.authorization = "Bearer \(token)"
        bench.transport.set(resource, at: bench.url)
        return bench
    }

    private func request(
        _ bench: Bench,
        _ token: String = "old",
        isField: Bool = false
    ) throws -> RequestSpecification {
        var request = try RequestSpecification(method: .post, url: bench.url, body: StoredBody("a".utf8))
        if isField {
            request.exchange.headers = [.init(name: "Authorization", value: "Bearer \(token)")]
        } else {
            request.exchange.credentials = .bearer(token: token)
        }
        return request
    }

    private func sent(_ bench: Bench) -> [String?] {
        bench.transport.requests.map { $0.headers[.authorization] }
    }

    @Test(arguments: [true, false])
    func manyRequestsWithOneStaleTokenAreOneCall(isField: Bool) async throws {
        let bench = try bench(accepting: "new")
        let hook = Hook(.bearer(token: "new"))
        let engine = engine(bench, hook)
        var handles: [TransferHandle] = []
        for _ in 0..<50 { handles.append(try await engine.send(try request(bench, isField: isField))) }
        try await bench.running(engine) { [handles] in
            for handle in handles {
                let status = try await handle.response().status
                #expect(status == 200)
            }
        }
        #expect(hook.count == 1)
        let fields = sent(bench)
        // Only those on their way meet a refusal of their own.
        #expect(fields.count { $0 == "Bearer old" } <= 3)
        #expect(fields.count { $0 == "Bearer new" } == 50)
        #expect(fields.count <= 53)
        for handle in handles {
            let transfer = try await handle.snapshot
            #expect(transfer.attempts == 1)
        }
    }

    /// A restart forgets fresh credentials: the stored ones are refused once more.
    @Test func aLaterEngineAsksAgain() async throws {
        let bench = try bench(accepting: "new")
        let hook = Hook(.bearer(token: "new"))
        for count in 1...2 {
            let engine = engine(bench, hook)
            let handle = try await engine.send(try request(bench))
            _ = try await bench.running(engine) { try await handle.response() }
            #expect(hook.count == count)
        }
    }

    @Test func credentialsThatExpireLaterAreReplacedAgain() async throws {
        let bench = try bench(accepting: "1")
        let hook = Hook(.bearer(token: "1"), .bearer(token: "2"))
        let engine = engine(bench, hook)
        try await bench.running(engine) {
            for token in ["1", "1", "2", "2"] {
                var resource = ScriptedResource(bench.bytes)
                resource.authorization = "Bearer \(token)"
                bench.transport.set(resource, at: bench.url)
                let handle = try await engine.send(try request(bench))
                let status = try await handle.response().status
                #expect(status == 200)
            }
        }
        #expect(hook.count == 2)
        #expect(
            sent(bench) == ["old", "1", "1", "1", "2", "2"].map { "Bearer \($0)" }
        )
    }

    @Test func freshCredentialsThatAreRefusedTooFailWithOneCall() async throws {
        let bench = try bench(accepting: "right")
        let hook = Hook(.bearer(token: "wrong"))
        let engine = engine(bench, hook, slots: 1)
        var handles: [TransferHandle] = []
        for _ in 0..<5 { handles.append(try await engine.send(try request(bench))) }
        try await bench.running(engine) { [handles] in
            for handle in handles {
                let failure = await #expect(throws: TransferFailure.self) { try await handle.response() }
                #expect(failure?.code == .notAuthorised)
            }
        }
        #expect(hook.count == 1)
        #expect(sent(bench) == ["Bearer old"] + Array(repeating: "Bearer wrong", count: 5))
    }

    @Test(arguments: [nil, Credentials.bearer(token: "old")])
    func withoutFreshCredentialsTheyWaitAndAreTriedAgain(first: Credentials?) async throws {
        let bench = try bench(accepting: "new")
        let hook = Hook(first, .bearer(token: "new"))
        let engine = engine(bench, hook)
        var handles: [TransferHandle] = []
        for _ in 0..<3 { handles.append(try await engine.send(try request(bench))) }
        try await bench.running(engine) { [handles] in
            for handle in handles { _ = await handle.reaches(.waiting) }
            #expect(hook.count == 1)
            try await bench.advancing {
                for handle in handles {
                    let status = try await handle.response().status
                    #expect(status == 200)
                }
            }
        }
        #expect(hook.count == 2)
        #expect(sent(bench).count { $0 == "Bearer old" } <= 3, "what is known to be refused is not sent")
    }

    @Test func otherCredentialsAndOtherOriginsAreAskedForOnTheirOwn() async throws {
        let bench = try bench(accepting: "new")
        let other = try HTTPURL(parsing: "http://other.example/a")
        var resource = ScriptedResource([1])
        resource.authorization = "Bearer new"
        bench.transport.set(resource, at: other)
        let hook = Hook(.bearer(token: "new"))
        let engine = engine(bench, hook, slots: 1)
        var foreign = try request(bench)
        foreign.url = other
        let requests = [try request(bench), foreign, try request(bench, "older"), try request(bench)]
        try await bench.running(engine) {
            for request in requests {
                let handle = try await engine.send(request)
                let status = try await handle.response().status
                #expect(status == 200)
            }
        }
        #expect(
            hook.calls.withLock { $0.map(\.url.host) } == [
                "origin.example", "other.example", "origin.example",
            ]
        )
    }

    /// Another origin never got the credentials, so it cannot refuse them, and gets no fresh ones (I7).
    @Test func anotherOriginToWhichARedirectLeadsGetsNone() async throws {
        let bench = try Bench()
        let target = try HTTPURL(parsing: "http://other.example/there")
        var moved = ScriptedResource([])
        moved.redirect = (307, target.absoluteString)
        bench.transport.set(moved, at: bench.url)
        var there = ScriptedResource([1])
        there.authorization = "Bearer new"
        bench.transport.set(there, at: target)
        let hook = Hook(.bearer(token: "new"))
        let engine = engine(bench, hook)
        let handle = try await engine.send(try request(bench))
        let failure = await #expect(throws: TransferFailure.self) {
            try await bench.running(engine) { try await handle.response() }
        }
        #expect(failure?.code == .notAuthorised && hook.count == 0)
        #expect(sent(bench) == ["Bearer old", nil])
    }

    @Test func aRequestWithoutCredentialsIsAskedForWhenItIsRefused() async throws {
        let bench = try bench(accepting: "new")
        let hook = Hook(.bearer(token: "new"))
        let engine = engine(bench, hook, slots: 1)
        let open = try HTTPURL(parsing: "http://origin.example/open")
        bench.transport.set(ScriptedResource([1]), at: open)
        try await bench.running(engine) {
            for url in [bench.url, bench.url, open] {
                let handle = try await engine.send(try RequestSpecification(method: .post, url: url))
                let status = try await handle.response().status
                #expect(status == 200)
            }
        }
        #expect(hook.count == 1)
        #expect(sent(bench) == [nil, "Bearer new", nil, "Bearer new", nil], "what is open needs none")
    }

    /// Whatever the application does, a pause and a stop take effect at once, and the row says that nothing was sent.
    @Test func aFunctionThatDoesNotAnswerHoldsUpNothing() async throws {
        let bench = try bench(accepting: "new")
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let isCancelled = Mutex(false)
        let engine = bench.engine(configure: {
            $0.refreshCredentials = { _, _ in
                asking.yield()
                for await _ in AsyncStream<Void>.makeStream().stream {}
                isCancelled.withLock { $0 = true }
                throw CancellationError()
            }
        })
        let handles = [try await engine.send(try request(bench)), try await engine.send(try request(bench))]
        try await bench.running(engine) {
            for await _ in asked { break }
            try await handles[0].pause()
            _ = await handles[0].reaches(.paused)
        }
        #expect(isCancelled.withLock { $0 })
        for handle in handles {
            let transfer = try await handle.snapshot
            #expect(transfer.request?.progress.sent == nil && !transfer.state.isFinal)
        }
    }
}
