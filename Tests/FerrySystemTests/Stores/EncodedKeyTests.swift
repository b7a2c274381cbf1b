import Foundation
import Testing

/// `ferry uploads list` by the real binary, against a store that encodes keys when it is asked to. SeaweedFS, which does not,
/// is in ``UnfinishedUploadTests``.
@Suite("Keys of unfinished uploads", .limitedParallelism)
struct EncodedKeyTests {
    private struct Line: Decodable {
        let name: String
    }

    @Test("a key with a character that XML forbids is listed as it is")
    func forbidden() async throws {
        try await ScriptedServer.run { request in
            let encodes = request.path.contains("encoding-type=url")
            let key = encodes ? "a%01%2Bb+c" : "a\u{1}+b c"
            let form = encodes ? "<EncodingType>url</EncodingType>" : ""
            let upload = "<Upload><Key>\(key)</Key><UploadId>1</UploadId></Upload>"
            return ScriptedReply(
                fields: [("Content-Type", "application/xml")],
                body: Array("<ListMultipartUploadsResult>\(form)\(upload)</ListMultipartUploadsResult>".utf8)
            )
        } _: { sandbox, server in
            try sandbox.writeKeys()
            let words = ["--endpoint", "http://127.0.0.1:\(server.port)", "--json"]
            let outcome = try await sandbox.launch(["uploads", "list", "s3://bucket"] + words).outcome()
            outcome.expect(0)
            let line = try JSONDecoder().decode(Line.self, from: Data(outcome.output.utf8))
            #expect(line.name == "s3://bucket/a\u{1}+b c")
            let asked = server.requests.map { $0.path.contains("encoding-type=url") }
            #expect(asked == [true, false])
        }
    }
}
