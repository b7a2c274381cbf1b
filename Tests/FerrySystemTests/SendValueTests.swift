import Foundation
import Testing

/// Requests that take values of earlier responses, sent by the real binary.
@Suite("Sent values of earlier responses", .limitedParallelism)
struct SendValueTests {
    private static let upload = "01890a5d-ac96-774b-bcce-b302099a8057"
    private static let record = "01890a5d-ac96-774b-bcce-b302099a8058"

    /// Answers an upload with the number and the version of what it made.
    @Sendable private static func answer(_ request: ScriptedRequest) -> ScriptedReply? {
        guard request.path == "/photos" else { return ScriptedReply(status: 201, body: Array("{}".utf8)) }
        return ScriptedReply(
            status: 201,
            fields: [("ETag", "\"v 1\"")],
            body: Array(#"{"photo": {"id": 9223372036854775808, "name": "a/b"}}"#.utf8)
        )
    }

    @Test(
        "a chain in one list: each line takes values of earlier ones, and nothing needs the earlier ones any more"
    )
    func chain() async throws {
        try await RequestInbox.served(Self.answer) { sandbox, server, inbox in
            let lines = [
                #"{"method":"POST","url":"\#(server.url("photos"))","data":"x","uuid":"\#(Self.upload)"}"#,
                #"{"method":"PUT","url":"\#(server.url("albums/{name}?v={id}"))","uuid":"\#(Self.record)","#
                    + #""headers":{"If-Match":"{tag}"},"json":{"photo":"{id}","text":"no. {id}","other":"{x}"},"#
                    + #""values":{"id":"\#(Self.upload):/photo/id","name":"\#(Self.upload):/photo/name","#
                    + #""tag":"\#(Self.upload):ETag"}}"#,
                #"{"method":"DELETE","url":"\#(server.url("drafts"))","after":["\#(Self.record)"]}"#,
            ]
            try lines.joined(separator: "\n").write(
                toFile: sandbox.path(of: "list"),
                atomically: true,
                encoding: .utf8
            )
            let sent = try await sandbox.ferry("send", "-i", "list")
            sent.expect(0)
            #expect(sent.output == "1\n2\n3\n")
            try await sandbox.ferry("run").expect(0)
            #expect(inbox.all.map(\.request.method) == ["POST", "PUT", "DELETE"])
            let taken = try #require(inbox.all.dropFirst().first)
            #expect(taken.request.path == "/albums/a%2Fb?v=9223372036854775808")
            #expect(taken.request["if-match"] == "\"v 1\"")
            #expect(
                taken.body == #"{"photo":9223372036854775808,"text":"no. 9223372036854775808","other":"{x}"}"#
            )
            // The names are shown, and no value.
            let shown = try await sandbox.ferry("show", "2")
            shown.expect(0)
            #expect(shown.output.contains("id=\(Self.upload):/photo/id"))
            #expect(!shown.output.contains("9223372036854775808"))
        }
    }

    @Test("a value that is not there fails the request, and nothing is sent; an earlier ID works as well")
    func missing() async throws {
        try await RequestInbox.served(Self.answer) { sandbox, server, inbox in
            try await sandbox.ferry("send", "--wait", "POST", server.url("photos"), "-d", "x").expect(0)
            let url = server.url("albums/{id}")
            let words = ["send", "--wait", "PUT", url, "--value"]
            let failed = try await sandbox.launch(words + ["id=1:/photo/nothing"]).outcome()
            failed.expect(1)
            #expect(failed.errors.contains("/photo/nothing"), "\(failed.errors)")
            #expect(inbox.all.count == 1)
            let shown = try await sandbox.ferry("show", "--json", "2")
            #expect(shown.output.contains(#""code":"valueMissing""#), "\(shown.output)")
            try await sandbox.launch(words + ["id=1:/photo/id"]).outcome().expect(0)
            #expect(inbox.all.last?.request.path == "/albums/9223372036854775808")
            // What is not there yet cannot be waited for.
            let unknown = try await sandbox.launch(words + ["id=99:/photo/id"]).outcome()
            #expect(unknown.status != 0 && unknown.errors.contains("no transfer 99"), "\(unknown.errors)")
            try await sandbox.launch(words + ["other=1:/photo/id"]).outcome().expect(64)
        }
    }
}
