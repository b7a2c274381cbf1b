import Foundation
import Glibc
import Synchronization
import Testing

/// A data directory that is restored from a backup, but the files are not: its rows are older than the part files.
@Suite("Rolled back store", .limitedParallelism)
struct RolledBackStoreTests {
    private static let one = Content(count: 6 * .mebibyte, seed: 181)
    private static let two = Content(count: 6 * .mebibyte, seed: 182)

    /// The content of the server, and the offset at which bodies stall.
    private final class Site: Sendable {
        private let state = Mutex((content: RolledBackStoreTests.one, tag: "\"one\"", bound: 2 * .mebibyte))

        func serve(_ content: Content, tag: String) {
            state.withLock { ($0.content, $0.tag) = (content, tag) }
        }

        /// Lets bodies stall at this offset of the file.
        func hold(at bound: Int) { state.withLock { $0.bound = bound } }

        func answer(_ request: ScriptedRequest) -> ScriptedReply {
            let (content, tag, bound) = state.withLock { $0 }
            var reply = ScriptedReply.serving(content, tag: tag, to: request)
            let start = reply.status == 206 ? request.rangeStart ?? 0 : 0
            if start + reply.body.count > bound {
                reply.cut = ScriptedReply.Cut(bytes: max(0, bound - start), then: .stall)
            }
            return reply
        }
    }

    private func withSite(_ body: (Sandbox, Site, String) async throws -> Void) async throws {
        let site = Site()
        try await ScriptedServer.run {
            site.answer($0)
        } _: { server in
            try await Sandbox.open { try await body($0, site, server.url("file.bin")) }
        }
    }

    /// Downloads until the part file has this many bytes, and kills the process.
    private func download(_ url: String, upTo bytes: Int, of site: Site, in sandbox: Sandbox) async throws {
        site.hold(at: bytes)
        let process = try sandbox.launch(["get", "-x", "1", url])
        try await sandbox.transferBecomes("at \(bytes) bytes") { $0.received > bytes - .mebibyte }
        process.send(SIGKILL)
        _ = try await process.outcome()
    }

    private func finish(
        _ url: String,
        _ options: [String] = [],
        of site: Site,
        in sandbox: Sandbox
    ) async throws -> Outcome {
        site.hold(at: .max)
        return try await sandbox.launch(["get", "-x", "1"] + options + [url]).outcome()
    }

    private func backUp(_ sandbox: Sandbox) throws {
        try FileManager.default.copyItem(atPath: sandbox.data, toPath: sandbox.root + "/backup")
    }

    private func restore(_ sandbox: Sandbox) throws {
        try FileManager.default.removeItem(atPath: sandbox.data)
        try FileManager.default.moveItem(atPath: sandbox.root + "/backup", toPath: sandbox.data)
    }

    @Test("a part file that is longer than its row resumes")
    func longer() async throws {
        try await withSite { sandbox, site, url in
            try await download(url, upTo: 2 * .mebibyte, of: site, in: sandbox)
            try backUp(sandbox)
            try await download(url, upTo: 5 * .mebibyte, of: site, in: sandbox)
            try restore(sandbox)
            try await finish(url, of: site, in: sandbox).expect(0)
            try sandbox.expectOnly("file.bin", Self.one)
        }
    }

    @Test(
        "bytes of a version unknown to the row are never mixed with those of its own version"
    )
    func anotherVersionInBetween() async throws {
        try await withSite { sandbox, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: sandbox)
            try backUp(sandbox)
            site.serve(Self.two, tag: "\"two\"")
            try await download(url, upTo: 5 * .mebibyte, of: site, in: sandbox)
            try restore(sandbox)
            // The server was rolled back as well, so its answers match the row.
            site.serve(Self.one, tag: "\"one\"")
            let outcome = try await finish(url, of: site, in: sandbox)
            outcome.expect(8)
            #expect(outcome.errors.contains("file.bin.part"), "\(outcome.errors)")
            #expect(try sandbox.fileNames() == ["file.bin.part"])
            // The part file is moved aside, as the error message says.
            try FileManager.default.removeItem(atPath: sandbox.path(of: "file.bin.part"))
            try await finish(url, of: site, in: sandbox).expect(0)
            try sandbox.expectOnly("file.bin", Self.one)
        }
    }

    @Test("a new version on the server is fetched from its beginning")
    func anotherVersionSince() async throws {
        try await withSite { sandbox, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: sandbox)
            try backUp(sandbox)
            site.serve(Self.two, tag: "\"two\"")
            try restore(sandbox)
            try await finish(url, of: site, in: sandbox).expect(0)
            try sandbox.expectOnly("file.bin", Self.two)
        }
    }

    @Test("a file published after the backup is kept, and --overwrite fetches it again")
    func publishedSince() async throws {
        try await withSite { sandbox, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: sandbox)
            try backUp(sandbox)
            try await finish(url, of: site, in: sandbox).expect(0)
            try restore(sandbox)
            try await finish(url, of: site, in: sandbox).expect(13)
            try sandbox.expectOnly("file.bin", Self.one)
            try await finish(url, ["--overwrite"], of: site, in: sandbox).expect(0)
            try sandbox.expectOnly("file.bin", Self.one)
        }
    }

    @Test(
        "if the part file was removed or renamed after the backup, the download starts over and keeps the renamed file"
    )
    func goneSince() async throws {
        try await withSite { sandbox, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: sandbox)
            try backUp(sandbox)
            try await download(url, upTo: 5 * .mebibyte, of: site, in: sandbox)
            try restore(sandbox)
            let part = try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "file.bin.part")))
            try FileManager.default.moveItem(
                atPath: sandbox.path(of: "file.bin.part"),
                toPath: sandbox.path(of: "aside")
            )
            try await finish(url, of: site, in: sandbox).expect(0)
            #expect(Self.one.isWhole(at: sandbox.path(of: "file.bin")))
            #expect(try Data(contentsOf: URL(fileURLWithPath: sandbox.path(of: "aside"))) == part)
            #expect(try sandbox.fileNames() == ["aside", "file.bin"])
        }
    }

    @Test("a transfer that was cancelled after the backup, without its part file, starts over")
    func cancelledSince() async throws {
        try await withSite { sandbox, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: sandbox)
            try backUp(sandbox)
            try await sandbox.ferry("cancel", "1").expect(0)
            #expect(try sandbox.fileNames() == [])
            let cancelled = try #require(try await sandbox.transfers().first)
            #expect(
                cancelled.state == "cancelled" && cancelled.received == 0,
                "a cancelled row claims no bytes"
            )
            try restore(sandbox)
            try await finish(url, of: site, in: sandbox).expect(0)
            try sandbox.expectOnly("file.bin", Self.one)
        }
    }

    @Test("a cancelled transfer that keeps its part file says so")
    func cancelledWithItsPart() async throws {
        try await withSite { sandbox, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: sandbox)
            try await sandbox.ferry("cancel", "--keep-part", "1").expect(0)
            #expect(try sandbox.fileNames() == ["file.bin.part"])
            let cancelled = try #require(try await sandbox.transfers().first)
            #expect(cancelled.state == "cancelled" && cancelled.received > .mebibyte)
            let shown = try await sandbox.ferry("show", "1")
            #expect(shown.output.contains("its part file was kept"), "\(shown.output)")
        }
    }
}
