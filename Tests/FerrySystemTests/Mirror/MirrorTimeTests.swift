import Foundation
import Glibc
import Testing

/// `ferry mirror --remote-time`.
@Suite("The server's times of mirrored files", .limitedParallelism)
struct MirrorTimeTests {
    private func modified(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mtim.tv_sec : nil
    }

    @Test("each file gets the server's time, is unchanged in the next pass, and is removed with --delete")
    func serverTime() async throws {
        let isGone = Flag()
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return ScriptedReply(status: 405) }
            if request.path == "/" { return .page(isGone.isSet ? ["a.txt"] : ["a.txt", "b.txt"]) }
            let fields = [("ETag", "\"x\""), ("Last-Modified", "Tue, 15 Nov 1994 12:45:26 GMT")]
            return ScriptedReply(fields: fields, body: Array(request.path.utf8))
        } _: { sandbox, server in
            let mirror = ["mirror", "--json", "--delete", "--remote-time", server.url(""), sandbox.copy]
            try await sandbox.launch(mirror).outcome().expect(0)
            for name in ["a.txt", "b.txt"] { #expect(modified("\(sandbox.copy)/\(name)") == 784_903_526) }
            let count = server.requests.count
            let again = try await sandbox.launch(mirror).outcome()
            again.expect(0)
            #expect(try again.summary("unchanged") == 2, "\(again)")
            #expect(!server.requests[count...].contains { $0.path.hasSuffix(".txt") })
            isGone.set()
            let last = try await sandbox.launch(mirror).outcome()
            last.expect(0)
            #expect(try last.summary("deleted") == 1, "\(last)")
            #expect(try sandbox.copiedFiles().keys.sorted() == ["a.txt"])
        }
    }
}
