import Testing

/// The wait that a busy server asks for.
@Suite("Retry-After", .limitedParallelism)
struct RetryAfterTests {
    @Test("the time that a server asks for is waited")
    func retryAfterIsHonoured() async throws {
        let content = Content(count: 1000, seed: 52)
        try await ScriptedServer.run { request in
            guard request.ordinal > 1 else {
                return ScriptedReply(status: 429, fields: [("Retry-After", "1")])
            }
            return .serving(content, tag: "\"a\"", to: request)
        } _: { server in
            try await Sandbox.open { sandbox in
                // A lower bound: however slow the machine, it never takes less.
                let began = ContinuousClock.now
                try await sandbox.ferry("get", server.url("file.bin")).expect(0)
                #expect(ContinuousClock.now - began >= .milliseconds(990))
            }
        }
    }
}
