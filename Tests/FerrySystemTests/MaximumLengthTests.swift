import Foundation
import Testing

/// `ferry get --max-filesize`, as one types it.
@Suite("The maximum length of a file", .limitedParallelism)
struct MaximumLengthTests {
    private static let content = Content(count: 2 * .mebibyte, seed: 801)
    private static let small = Content(count: 9_000, seed: 802)

    @Test("--max-filesize fails with 63 and leaves nothing", arguments: [true, false])
    func maximum(tellsLength: Bool) async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(
                fields: [("ETag", "\"a\"")],
                body: Array(Self.content.bytes),
                framing: tellsLength ? .length : .chunked
            )
        } _: { sandbox, server in
            let url = server.url("f.bin")
            let refused = try await sandbox.ferry("get", "--max-filesize", "1M", url)
            refused.expect(63)
            #expect(refused.errors.contains("--max-filesize SIZE"), "\(refused)")
            #expect(try sandbox.fileNames() == [] && server.requests.count == 1)
            let shown = try await sandbox.ferry("show", "--json", "1")
            #expect(shown.output.contains(#""code":"tooLong""#), "\(shown)")
            #expect(shown.output.contains(#""maximumLength":1048576"#), "\(shown)")
            try await sandbox.ferry("get", "--max-filesize", "2M", url).expect(0)
            try sandbox.expectOnly("f.bin", Self.content)
        }
    }

    @Test("a list for `add` has it below a URL")
    func listed() async throws {
        try await ScriptedServer.run {
            ScriptedReply.serving(Self.small, tag: "\"a\"", to: $0)
        } _: { sandbox, server in
            let list = sandbox.root + "/list"
            let text = "\(server.url("a.bin"))\n\(server.url("b.bin"))\n max-filesize=1k\n"
            try text.write(toFile: list, atomically: true, encoding: .utf8)
            try await sandbox.ferry("add", "-i", list).expect(0)
            try await sandbox.ferry("run").expect(63)
            try sandbox.expectOnly("a.bin", Self.small)
        }
    }
}
