import Foundation
import Glibc
import Testing

/// Part files that `ferry cancel --keep-part` leaves.
@Suite("Kept part files", .limitedParallelism)
struct CancelledPartTests {
    private let content = Content(count: 2 * .mebibyte, seed: 982)

    /// A download that was stopped and cancelled with its part file; its server serves the rest of it
    /// afterwards.
    private func kept(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        let content = content
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: .mebibyte, then: .stall) }
            return reply
        } _: { sandbox, server in
            let process = try sandbox.launch(["get", "-x", "1", server.url("file")])
            try await sandbox.transferBecomes("begun") { $0.received > 0 }
            process.send(SIGINT)
            try await process.outcome().expect(7)
            let cancel = try await sandbox.ferry("cancel", "--keep-part", "1")
            cancel.expect(0)
            let part = sandbox.path(of: "file.part")
            #expect(cancel.errors.contains("\(part) stays"), "\(cancel.errors)")
            #expect(cancel.errors.contains("Resume with `ferry get URL`"), "\(cancel.errors)")
            let show = try await sandbox.ferry("show", "1")
            #expect(show.output.contains("its part file was kept"), "\(show.output)")
            #expect(FileManager.default.fileExists(atPath: part))
            try await body(sandbox, server)
        }
    }

    @Test("the same get resumes from the kept bytes, as a new transfer")
    func resumes() async throws {
        try await kept { sandbox, server in
            try await sandbox.ferry("get", "-x", "1", server.url("file")).expect(0)
            #expect(content.isWhole(at: sandbox.path(of: "file")))
            #expect(try sandbox.fileNames() == ["file"])
            let again = try #require(server.requests.last)
            #expect(again["if-range"] == "\"a\"" && (again.rangeStart ?? 0) > 0)
            let states = try await sandbox.transfers().map(\.state)
            #expect(states.sorted() == ["cancelled", "completed"])
            let show = try await sandbox.ferry("show", "1")
            #expect(!show.output.contains("part file was kept"), "\(show.output)")
        }
    }

    @Test("after the cancelled transfer is removed, the part file is like any other")
    func isForeign() async throws {
        try await kept { sandbox, server in
            try await sandbox.ferry("remove", "1").expect(0)
            try await sandbox.ferry("get", "-x", "1", server.url("file")).expect(0)
            #expect(server.requests.last?.rangeStart == nil)
            #expect(content.isWhole(at: sandbox.path(of: "file")))
            #expect(try sandbox.fileNames().sorted() == ["file", "file.part"])
        }
    }
}
