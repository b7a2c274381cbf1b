import Dispatch
import FerryCore
import FerryTesting
import Testing

@testable import FerryIO

@Suite("Names whose server does not answer", .timeLimit(.minutes(10)))
struct NameLookupTests {
    /// A resolver that answers for names it is told of, and for no other before it is opened.
    private final class Resolver: Sendable {
        private let questions = Watched<[String]>([])
        /// The names that it was asked for, in order.
        var asked: [String] { questions.withLock { $0 } }
        private let gate = DispatchSemaphore(value: 0)
        private let answers: [String: NameAnswer]

        init(_ answers: [String: NameAnswer] = [:]) {
            self.answers = answers
        }

        @Sendable func lookUp(_ host: String) -> NameAnswer {
            questions.withLock { $0.append(host) }
            if let answer = answers[host] { return answer }
            gate.wait()
            gate.signal()
            return .failed
        }

        func open() { gate.signal() }

        /// Waits until it was asked that many times.
        func waitForQuestions(_ count: Int) async throws {
            try await questions.wait { $0.count >= count }
        }
    }

    @discardableResult
    private func withTransport<Result: Sendable>(
        _ resolver: Resolver,
        _ body: (WireTransport) async throws -> Result
    ) async throws -> Result {
        let threads = IOThreads(count: 2)
        let transport = WireTransport(
            threads: threads,
            eventLoops: 1,
            buffers: BufferPlan(),
            names: NameLookups(resolver.lookUp)
        )
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(transport)) } catch { result = .failure(error) }
        await transport.shutdown()
        resolver.open()
        try await threads.shutdown()
        return try result.get()
    }

    /// Fetches from a server by each of `hosts`, while as many names as can be are looked up and get no answer.
    private func fetch(from hosts: [String], whileNamesHang count: Int, _ resolver: Resolver) async throws {
        let server = try await SocketServer()
        try await server.serve { connection in
            try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        } while: { server in
            try await withTransport(resolver) { transport in
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for number in 0..<count {
                        tasks.addTask {
                            let url = "http://never-\(number).invalid/"
                            await #expect(throws: CancellationError.self) {
                                try await transport.fetch(.get(url) { $0.connectTimeout = .zero })
                            }
                        }
                    }
                    // Each of these names would wait for ever.
                    try await resolver.waitForQuestions(min(count, NameLookups.limit))
                    for host in hosts {
                        let request = try TransportRequest.get(server, host: host)
                        #expect(try await transport.fetch(request).bytes == Array("ok".utf8))
                    }
                    tasks.cancelAll()
                }
            }
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func holdUpNeitherAnAddressNorThisMachine(host: String) async throws {
        let resolver = Resolver()
        // More than are looked up at once.
        try await fetch(from: [host], whileNamesHang: NameLookups.limit + 8, resolver)
        #expect(resolver.asked.count == NameLookups.limit)
    }

    /// Of a thousand names, 900 have a server that does not answer; the others are connected to all the same.
    @Test func holdUpNoOtherName() async throws {
        let good = (0..<100).map { "good-\($0).invalid" }
        let resolver = Resolver(
            Dictionary(uniqueKeysWithValues: good.map { ($0, .found([IPAddress("127.0.0.1")!])) })
        )
        try await fetch(from: good, whileNamesHang: 900, resolver)
    }

    @Test func thatThereIsNoneIsToldAsEver() async throws {
        let resolver = Resolver(["good.invalid": .unknown])
        try await withTransport(resolver) { transport in
            let problem = await problem { try await transport.fetch(.get("http://good.invalid/")) }
            #expect(problem?.failure.message == "There is no host named good.invalid.")
        }
    }

    @Test func areGivenUpAfterTheTimeThatConnectingMayTake() async throws {
        try await withTransport(Resolver()) { transport in
            let problem = await problem {
                try await transport.fetch(
                    .get("http://never.invalid/") { $0.connectTimeout = .milliseconds(100) }
                )
            }
            #expect(problem?.failure.code == .nameNotResolved)
            #expect(problem?.failure.message == "Looking up never.invalid took longer than 0.1 s.")
            #expect(problem?.disposition == .transient(retryAfter: nil))
        }
    }

    @Test func areLeftAtOnceWhenTheTransferIsCancelled() async throws {
        let resolver = Resolver()
        try await withTransport(resolver) { transport in
            await #expect(throws: CancellationError.self) {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask { _ = try await transport.fetch(.get("http://never.invalid/")) }
                    try await resolver.waitForQuestions(1)
                    tasks.cancelAll()
                    try await tasks.waitForAll()
                }
            }
        }
    }

    @Test func areAskedForOnceByAllWhoWait() async throws {
        let resolver = Resolver()
        let names = NameLookups(resolver.lookUp)
        try await withThrowingTaskGroup(of: NameAnswer.self) { tasks in
            for _ in 0..<8 { tasks.addTask { try await names.find("never.invalid") } }
            while names.waiting(for: "never.invalid") < 8 { await Task.yield() }
            resolver.open()
            for try await answer in tasks { #expect(answer == .failed) }
        }
        #expect(resolver.asked == ["never.invalid"])
    }

    /// A name that does not exist is soon given up; a lookup that failed is not.
    @Test(arguments: [(NameAnswer.unknown, true), (.failed, false)])
    func ofAProxyAreTheProxysFault(_ answer: NameAnswer, _ isUnknown: Bool) async throws {
        try await withTransport(Resolver(["proxy.invalid": answer])) { transport in
            let problem = await problem {
                try await transport.fetch(
                    .get("http://127.0.0.1/") {
                        $0.proxy = Proxy(scheme: .http, host: "proxy.invalid", port: 8080)
                    }
                )
            }
            var expected = Problem.transient(
                .proxyFailed,
                "The proxy proxy.invalid:8080 has a name that does not resolve."
            )
            expected.isUnknownHost = isUnknown
            #expect(problem == expected)
        }
    }
}
