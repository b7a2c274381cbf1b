import Glibc
import Testing

/// The example of a service in a service group.
@Suite("The fetch service", .limitedParallelism)
struct FetchServiceTests {
    static let content = Content(count: 4 * .mebibyte, seed: 621)
    static let half = 2 * Int.mebibyte

    /// Runs `body` with a service and an order for a file that stalls half-way until the service has ended.
    private func withOrder(
        _ body: @escaping @Sendable (Sandbox, ChildProcess) async throws -> Void,
        check: @escaping @Sendable (ScriptedServer) throws -> Void = { _ in }
    ) async throws {
        let hasEnded = Flag()
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if !hasEnded.isSet { reply.cut = .init(bytes: Self.half, then: .stall) }
            return reply
        } _: { sandbox, server in
            let typed = try TypedLines(in: sandbox)
            let service = try sandbox.launchExample("FetchService", input: typed)
            typed.type(server.url("file.bin"))
            try await service.says("Order 1: accepted")
            try await body(sandbox, service)
            typed.end()
            hasEnded.set()
            try await goesOn(sandbox)
            try check(server)
        }
    }

    /// Starts it again without input, waits until order 1 is done, and stops it.
    private func goesOn(_ sandbox: Sandbox) async throws {
        let next = try sandbox.launchExample("FetchService")
        try await next.says("Order 1: \(sandbox.path(of: "file.bin"))")
        #expect(!next.hasEnded, "it must not stop by itself")
        next.send(SIGTERM)
        try await next.outcome().expect(0)
        #expect(try sandbox.fileNamesBesideStore() == ["file.bin"])
        #expect(Self.content.isWhole(at: sandbox.path(of: "file.bin")))
    }

    @Test("SIGTERM stops it in time, and the next start resumes at the same byte")
    func stopsAndGoesOn() async throws {
        try await withOrder { sandbox, service in
            try await sandbox.exampleRecords(Self.half)
            service.send(SIGTERM)
            let stop = ContinuousClock.now
            try await service.outcome().expect(0)
            let pause = ContinuousClock.now - stop
            #expect(pause < .seconds(5) * Sanitizer.patience, "it took \(pause)")
        } check: { server in
            #expect(server.requests.count > 1)
            #expect(server.requests.dropFirst().allSatisfy { $0.rangeStart ?? 0 >= Self.half })
        }
    }

    @Test("an accepted order is downloaded even after an immediate kill")
    func keepsWhatItAccepted() async throws {
        try await withOrder { _, service in
            service.send(SIGKILL)
            _ = try await service.outcome()
        }
    }

    @Test("an invalid or impossible order gets a message, and the others are downloaded")
    func answersEveryOrder() async throws {
        try await ScriptedServer.run { request in
            request.path == "/none"
                ? ScriptedReply(status: 404) : .serving(Self.content, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            let typed = try TypedLines(in: sandbox)
            let service = try sandbox.launchExample("FetchService", input: typed)
            for order in ["nonsense", server.url("none"), server.url("file.bin")] { typed.type(order) }
            try await service.says("nonsense: The URL has no scheme")
            try await service.says("Order 1: There is nothing at")
            try await service.says("Order 2: \(sandbox.path(of: "file.bin"))")
            // A completed order is not downloaded again.
            typed.type(server.url("file.bin"))
            try await Deadline.wait(for: "the same order to be accepted") {
                service.outputSoFar.ranges(of: "Order 2: accepted").count == 2
            }
            typed.end()
            service.send(SIGINT)
            try await service.outcome().expect(0)
            #expect(server.requests.count { $0.path == "/file.bin" } == 1)
        }
    }
}
