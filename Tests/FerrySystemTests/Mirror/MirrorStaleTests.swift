import Foundation
import Testing

/// `ferry mirror` of a server that lists a later version of a file than it sends, as one with a cache or a replica may.
@Suite("Stale files of mirrors", .limitedParallelism)
struct MirrorStaleTests {
    /// How the file is listed.
    enum Form: CaseIterable {
        case webDAV, json, page
    }

    private static let earlier = "Mon, 01 Jan 2024 10:00:00 GMT"
    private static let later = "Tue, 06 Feb 2024 12:00:00 GMT"

    /// A listing with the later time.
    private static func listing(_ form: Form) -> ScriptedReply {
        switch form {
        case .webDAV:
            let text = """
                <D:multistatus xmlns:D="DAV:"><D:response><D:href>/f.txt</D:href><D:propstat><D:prop><D:resourcetype/>\
                <D:getlastmodified>\(later)</D:getlastmodified><D:getcontentlength>4</D:getcontentlength></D:prop>\
                <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>
                """
            let fields = [("Content-Type", "application/xml")]
            return ScriptedReply(status: 207, fields: fields, body: Array(text.utf8))
        case .json:
            let text = #"[{"name":"f.txt","type":"file","mtime":"\#(later)","size":4}]"#
            return ScriptedReply(fields: [("Content-Type", "application/json")], body: Array(text.utf8))
        case .page:
            let text = "<title>Index of</title><a href=\"f.txt\">f.txt</a> 06-Feb-2024 12:00 4\n</html>"
            return ScriptedReply(fields: [("Content-Type", "text/html")], body: Array(text.utf8))
        }
    }

    @Test("the file is asked for again until it is the listed version", arguments: Form.allCases)
    func olderTime(_ form: Form) async throws {
        try await ScriptedServer.run { request in
            if request.method == "PROPFIND", form != .webDAV { return ScriptedReply(status: 405) }
            if request.path == "/" { return Self.listing(form) }
            // The second answer is stale, too.
            if request.ordinal == 2, request["if-modified-since"] == Self.earlier {
                return ScriptedReply(status: 304, fields: [("Last-Modified", Self.earlier)])
            }
            let (time, version) = request.ordinal == 1 ? (Self.earlier, "1") : (Self.later, "2")
            return ScriptedReply(fields: [("Last-Modified", time)], body: Array("of \(version)".utf8))
        } _: { sandbox, server in
            let mirror = ["mirror", "--json", server.url(""), sandbox.copy]
            let expected = [
                ("new", "of 1"), ("unchanged", "of 1"), ("changed", "of 2"), ("unchanged", "of 2"),
            ]
            for (standing, text) in expected {
                let outcome = try await sandbox.launch(mirror).outcome()
                outcome.expect(0)
                #expect(try outcome.summary(standing) == 1, "\(outcome)")
                #expect(try sandbox.copiedFiles()["f.txt"] == Data(text.utf8))
            }
            #expect(server.requests.filter { $0.path == "/f.txt" }.count == 3)
        }
    }
}
