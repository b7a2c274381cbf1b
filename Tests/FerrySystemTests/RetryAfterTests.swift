import Testing

/// The delay that a busy server requests.
@Suite("Retry-After", .limitedParallelism)
struct RetryAfterTests {
    @Test("ferry waits for the delay that a server requests")
    func retryAfterIsHonoured() async throws {
        let content = Content(count: 1000, seed: 52)
        try await ScriptedServer.run { request in
            guard request.ordinal > 1 else {
                return ScriptedReply(status: 429, fields: [("Retry-After", "1")])
            }
            return .serving(content, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            // A lower bound, which holds on a machine of any speed.
            let began = ContinuousClock.now
            try await sandbox.ferry("get", server.url("file.bin")).expect(0)
            #expect(ContinuousClock.now - began >= .milliseconds(990))
        }
    }
}
