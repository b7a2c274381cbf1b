import Foundation
import Testing

/// A listing with exact lengths, as nginx writes it in JSON, and answers that do not agree with it.
@Suite("The listed length of a mirrored file", .limitedParallelism)
struct MirrorLengthTests {
    private static let listed =
        #"[{"name":"a.txt","type":"file","mtime":"Mon, 05 Jan 2026 12:00:00 GMT","size":1000}]"#
    private static let whole = [UInt8](repeating: 0x61, count: 1_000)

    /// An answer for the file, as a broken server gives it.
    enum Fault: CaseIterable {
        case page, shortUntilClose, shortInChunks
    }

    private static func reply(_ fault: Fault?) -> ScriptedReply {
        switch fault {
        case .page: ScriptedReply(fields: [("Content-Type", "text/html")], body: Array("<p>Log in".utf8))
        case .shortUntilClose: ScriptedReply(body: Array(whole[..<500]), framing: .untilClose)
        case .shortInChunks: ScriptedReply(body: Array(whole[..<500]), framing: .chunked)
        case nil: ScriptedReply(body: whole)
        }
    }

    @Test("bytes of another length are not saved, and the next pass repairs it", arguments: Fault.allCases)
    func otherLength(_ fault: Fault) async throws {
        let isHealed = Flag()
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            guard request.path == "/" else { return Self.reply(isHealed.isSet ? nil : fault) }
            return ScriptedReply(
                fields: [("Content-Type", "application/json")],
                body: Array(Self.listed.utf8)
            )
        } _: { sandbox, server in
            let mirror = ["mirror", "--json", server.url(""), sandbox.copy]
            let first = try await sandbox.launch(mirror).outcome()
            first.expect(32)
            #expect(first.output.contains("but lists it with 1000 B"), "\(first)")
            #expect(try sandbox.copiedFiles()["a.txt"] == nil, "\(first)")
            isHealed.set()
            try await sandbox.launch(mirror).outcome().expect(0)
            #expect(try sandbox.copiedFiles() == ["a.txt": Data(Self.whole)])
        }
    }

    @Test("a file that is encoded on its way has the listed length only before it is decoded")
    func encoded() async throws {
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            guard request.path == "/" else {
                // "clear" in the gzip format, which is longer.
                let encoded = Data(base64Encoded: "H4sIAAAAAAACA0vOSU0sAgAG8bHlBQAAAA==") ?? Data()
                return ScriptedReply(fields: [("Content-Encoding", "gzip")], body: Array(encoded))
            }
            let list = Self.listed.replacingOccurrences(of: "1000", with: "25")
            return ScriptedReply(fields: [("Content-Type", "application/json")], body: Array(list.utf8))
        } _: { sandbox, server in
            try await sandbox.ferry("mirror", server.url(""), sandbox.copy).expect(0)
            #expect(try sandbox.copiedFiles() == ["a.txt": Data("clear".utf8)])
        }
    }
}
