import Testing

/// `ferry get --retry-on`, as one types it.
@Suite("Refusals that are not final", .limitedParallelism)
struct RetriedRefusalTests {
    private static let small = Content(count: 9_000, seed: 802)

    @Test("--retry-on retries a status that is final otherwise")
    func retryOn() async throws {
        try await ScriptedServer.run { request in
            request.ordinal == 1
                ? ScriptedReply(status: 404) : .serving(Self.small, tag: "\"a\"", to: request)
        } _: { sandbox, server in
            try await sandbox.ferry("get", server.url("final.bin")).expect(3)
            try await sandbox.ferry("get", "--retry-on", "404", server.url("f.bin")).expect(0)
            try sandbox.expectOnly("f.bin", Self.small)
            #expect(server.requests.count == 3)
        }
    }
}
