import Foundation
import Testing

/// URLs that others have signed.
@Suite("Signed URLs", .limitedParallelism)
struct SignedURLTests {
    private static let content = Content(count: 9_000, seed: 81)

    private static func error(_ code: String, _ message: String) -> ScriptedReply {
        let text = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>\(message)</Message></Error>"
        return ScriptedReply(
            status: 403,
            fields: [("Content-Type", "application/xml")],
            body: Array(text.utf8)
        )
    }

    private func answered(
        _ reply: @escaping @Sendable (ScriptedRequest) -> ScriptedReply,
        _ body: (Sandbox, ScriptedServer) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(with: body, answering: reply)
    }

    @Test("a URL with a wrong signature fails, and the store is quoted")
    func wrongSignature() async throws {
        try await answered { _ in
            Self.error("SignatureDoesNotMatch", "The request signature does not match.")
        } _: { sandbox, server in
            let outcome = try await sandbox.ferry("get", server.url("file.bin?X-Amz-Signature=abc"))
            outcome.expect(24)
            #expect(outcome.errors.contains("SignatureDoesNotMatch"), "\(outcome)")
            #expect(!outcome.errors.contains("expired") && !outcome.errors.contains("abc"), "\(outcome)")
            #expect(try await sandbox.transfers().map(\.state) == ["failed"])
        }
    }

    @Test("a URL that the store calls expired waits for a fresh one, which resumes it")
    func expired() async throws {
        try await answered { request in
            if request.path.contains("old"), request.ordinal > 1 {
                return Self.error("AccessDenied", "Request has expired")
            }
            var reply = ScriptedReply.serving(Self.content, tag: "\"a\"", to: request)
            if request.path.contains("old") { reply.cut = .init(bytes: 4_000, then: .hangUp) }
            return reply
        } _: { sandbox, server in
            let first = try await sandbox.ferry("get", server.url("file.bin?X-Amz-Signature=old"))
            first.expect(7)
            #expect(first.errors.contains("says that this URL has expired"), "\(first)")
            try await sandbox.ferry("get", server.url("file.bin?X-Amz-Signature=new")).expect(0)
            #expect(FileManager.default.contents(atPath: sandbox.path(of: "file.bin")) == Self.content.bytes)
            #expect(server.requests.last?.rangeStart == 4_000)
        }
    }
}
