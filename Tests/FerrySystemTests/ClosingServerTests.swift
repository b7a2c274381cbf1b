import Foundation
import Testing

/// A server that closes each connection after its answer, without `Connection: close`.
@Suite("A server that closes without notice", .limitedParallelism)
struct ClosingServerTests {
    private static let count = 40

    @Test(
        "many small files all arrive at the first attempt, directly and through a proxy",
        arguments: [false, true]
    )
    func smallFiles(isProxy: Bool) async throws {
        let contents = (0..<Self.count).map { Content(count: 2000, seed: 900 + UInt64($0)) }
        let server = try ScriptedServer { connection, request in
            let number = Int(request.path.drop { !$0.isNumber }) ?? 0
            let reply = ScriptedReply.serving(contents[number], tag: "\"\(number)\"", to: request)
            _ = connection.write(reply, to: request)
            return .closes
        }
        defer { server.stop() }
        try await Sandbox.open { sandbox in
            let urls = (0..<Self.count).map { isProxy ? "http://far.invalid/f\($0)" : server.url("f\($0)") }
            let way = isProxy ? ["--proxy", server.url("")] : []
            try await sandbox.launch(["get", "--retries", "0"] + way + urls).outcome().expect(0)
            #expect(try sandbox.fileNames().count == Self.count)
            for (number, content) in contents.enumerated() {
                #expect(content.isWhole(at: sandbox.path(of: "f\(number)")), "f\(number)")
            }
            #expect(!server.requests.contains { $0["connection"]?.lowercased() == "close" })
        }
    }
}
