import Foundation
import Synchronization
import Testing

/// `ferry mirror --delete` where something else is in the place of a directory that the mirror made.
@Suite("Links in the places of mirrored directories", .limitedParallelism)
struct MirrorSymlinkTests {
    private static func answer(_ request: ScriptedRequest, _ names: [String]) -> ScriptedReply {
        guard request.method == "GET" else { return ScriptedReply(status: 405) }
        switch request.path {
        case "/": return .page(names)
        case "/sub/": return .page(["b.txt", "cut.txt"])
        case "/sub/cut.txt":
            // It breaks off each time, so that its part file stays.
            var reply = ScriptedReply(
                fields: [("ETag", "\"x\"")],
                body: [UInt8](repeating: 0x61, count: 200_000)
            )
            reply.cut = ScriptedReply.Cut(bytes: 150_000, then: .hangUp)
            return reply
        default: return ScriptedReply(fields: [("ETag", "\"x\"")], body: Array("of \(request.path)".utf8))
        }
    }

    /// Mirrors `a.txt`, `sub/b.txt`, a part of `sub/cut.txt` and `z.txt`. Then moves `sub` away, and lets the source lose all
    /// but `a.txt`.
    private func withMovedDirectory(
        _ body: (_ sandbox: Sandbox, _ mirror: [String], _ moved: String) async throws -> Void
    ) async throws {
        let names = Mutex(["a.txt", "sub/", "z.txt"])
        try await ScriptedServer.run { request in
            Self.answer(request, names.withLock { $0 })
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", "--retries", "0", server.url(""), sandbox.copy]
            let first = try await sandbox.launch(mirror).outcome()
            #expect(first.status != 0, "\(first)")
            let all = ["a.txt", "sub/b.txt", "sub/cut.txt.part", "z.txt"]
            #expect(try sandbox.copiedFiles().keys.sorted() == all)
            let moved = sandbox.path(of: "moved")
            try FileManager.default.moveItem(atPath: sandbox.copy + "/sub", toPath: moved)
            names.withLock { $0 = ["a.txt"] }
            try await body(sandbox, mirror, moved)
        }
    }

    @Test("files behind a link stay and are remembered", arguments: [true, false])
    func link(isForeign: Bool) async throws {
        try await withMovedDirectory { sandbox, mirror, moved in
            let (link, outside) = (sandbox.copy + "/sub", sandbox.path(of: "outside"))
            try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
            try Data("mine".utf8).write(to: URL(fileURLWithPath: outside + "/b.txt"))
            let target = isForeign ? outside : moved
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            for words in [["--dry-run"], [], []] {
                let outcome = try await sandbox.launch(mirror + words).outcome()
                outcome.expect(0)
                for name in ["b.txt", "cut.txt"] {
                    let told = "sub/\(name) is not removed: A link or a file is in the place of a directory."
                    #expect(outcome.errors.contains(told), "\(outcome)")
                }
                #expect(outcome.errors.contains("2 not removed"), "\(outcome)")
            }
            #expect(!FileManager.default.fileExists(atPath: sandbox.copy + "/z.txt"))
            let kept = try FileManager.default.contentsOfDirectory(atPath: moved).sorted()
            #expect(kept == ["b.txt", "cut.txt.part"])
            #expect(try String(contentsOfFile: outside + "/b.txt", encoding: .utf8) == "mine")

            // When the directory is back, its files are still the mirror's.
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.moveItem(atPath: moved, toPath: link)
            let last = try await sandbox.launch(mirror).outcome()
            last.expect(0)
            #expect(last.errors.contains("Removed sub/b.txt."), "\(last)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.copy) == ["a.txt"])
        }
    }

    @Test("below a file there are no files, and a part file that cannot be removed ends no pass")
    func file() async throws {
        try await withMovedDirectory { sandbox, mirror, _ in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: sandbox.copy + "/sub"))
            let outcome = try await sandbox.launch(mirror).outcome()
            outcome.expect(0)
            #expect(outcome.errors.contains("Removed sub/b.txt."), "\(outcome)")
            #expect(outcome.errors.contains("a link or a file is in the place of a directory"), "\(outcome)")
            #expect(try sandbox.copiedFiles() == ["a.txt": Data("of /a.txt".utf8), "sub": Data("mine".utf8)])
            let again = try await sandbox.launch(mirror + ["--json"]).outcome()
            again.expect(0)
            #expect(try again.summary("gone") == 0, "\(again)")
        }
    }
}
