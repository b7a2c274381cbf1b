import Foundation
import Glibc
import Synchronization
import Testing

/// A data directory that is restored from a backup while the files went on: its rows are older than the part files.
@Suite("Rolled back store", .limitedParallelism)
struct RolledBackStoreTests {
    private static let one = Content(count: 6 * .mebibyte, seed: 181)
    private static let two = Content(count: 6 * .mebibyte, seed: 182)

    /// What the server has, and how far it lets a body come.
    private final class Site: Sendable {
        private let state = Mutex((content: RolledBackStoreTests.one, tag: "\"one\"", bound: 2 * .mebibyte))

        func serve(_ content: Content, tag: String) {
            state.withLock { ($0.content, $0.tag) = (content, tag) }
        }

        /// Bodies stall when the file would be that long.
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

    private func sailed(_ body: (Harbour, Site, String) async throws -> Void) async throws {
        let site = Site()
        try await ScriptedServer.run {
            site.answer($0)
        } _: { server in
            try await Harbour.open { try await body($0, site, server.url("file.bin")) }
        }
    }

    /// Downloads until the file has so many bytes, and kills the process there.
    private func download(_ url: String, upTo bytes: Int, of site: Site, in harbour: Harbour) async throws {
        site.hold(at: bytes)
        let process = try harbour.launch(["get", "-x", "1", url])
        try await harbour.transferBecomes("at \(bytes) bytes") { $0.received > bytes - .mebibyte }
        process.send(SIGKILL)
        _ = try await process.outcome()
    }

    private func finish(
        _ url: String,
        _ options: [String] = [],
        of site: Site,
        in harbour: Harbour
    ) async throws -> Outcome {
        site.hold(at: .max)
        return try await harbour.launch(["get", "-x", "1"] + options + [url]).outcome()
    }

    private func backUp(_ harbour: Harbour) throws {
        try FileManager.default.copyItem(atPath: harbour.data, toPath: harbour.root + "/backup")
    }

    private func restore(_ harbour: Harbour) throws {
        try FileManager.default.removeItem(atPath: harbour.data)
        try FileManager.default.moveItem(atPath: harbour.root + "/backup", toPath: harbour.data)
    }

    @Test("a part file that is longer than the row says goes on")
    func longer() async throws {
        try await sailed { harbour, site, url in
            try await download(url, upTo: 2 * .mebibyte, of: site, in: harbour)
            try backUp(harbour)
            try await download(url, upTo: 5 * .mebibyte, of: site, in: harbour)
            try restore(harbour)
            try await finish(url, of: site, in: harbour).expect(0)
            try harbour.expectOnly("file.bin", Self.one)
        }
    }

    @Test(
        "bytes of a version that the row does not know of are never mixed with those of the one that it knows"
    )
    func anotherVersionInBetween() async throws {
        try await sailed { harbour, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: harbour)
            try backUp(harbour)
            site.serve(Self.two, tag: "\"two\"")
            try await download(url, upTo: 5 * .mebibyte, of: site, in: harbour)
            try restore(harbour)
            // The server was rolled back as well, so that all it says agrees with the row.
            site.serve(Self.one, tag: "\"one\"")
            let outcome = try await finish(url, of: site, in: harbour)
            outcome.expect(8)
            #expect(outcome.errors.contains("file.bin.part"), "\(outcome.errors)")
            #expect(try harbour.ashore() == ["file.bin.part"])
            // The part file is moved aside, as the refusal says.
            try FileManager.default.removeItem(atPath: harbour.landed("file.bin.part"))
            try await finish(url, of: site, in: harbour).expect(0)
            try harbour.expectOnly("file.bin", Self.one)
        }
    }

    @Test("a new version that is still there is fetched from its beginning")
    func anotherVersionSince() async throws {
        try await sailed { harbour, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: harbour)
            try backUp(harbour)
            site.serve(Self.two, tag: "\"two\"")
            try restore(harbour)
            try await finish(url, of: site, in: harbour).expect(0)
            try harbour.expectOnly("file.bin", Self.two)
        }
    }

    @Test("a file that was published since is left alone, and --overwrite fetches it again")
    func publishedSince() async throws {
        try await sailed { harbour, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: harbour)
            try backUp(harbour)
            try await finish(url, of: site, in: harbour).expect(0)
            try restore(harbour)
            try await finish(url, of: site, in: harbour).expect(13)
            try harbour.expectOnly("file.bin", Self.one)
            try await finish(url, ["--overwrite"], of: site, in: harbour).expect(0)
            try harbour.expectOnly("file.bin", Self.one)
        }
    }

    @Test("a part file that was removed or renamed since is begun anew, and the renamed one is left alone")
    func goneSince() async throws {
        try await sailed { harbour, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: harbour)
            try backUp(harbour)
            try await download(url, upTo: 5 * .mebibyte, of: site, in: harbour)
            try restore(harbour)
            let part = try Data(contentsOf: URL(fileURLWithPath: harbour.landed("file.bin.part")))
            try FileManager.default.moveItem(
                atPath: harbour.landed("file.bin.part"),
                toPath: harbour.landed("aside")
            )
            try await finish(url, of: site, in: harbour).expect(0)
            #expect(Self.one.isWhole(at: harbour.landed("file.bin")))
            #expect(try Data(contentsOf: URL(fileURLWithPath: harbour.landed("aside"))) == part)
            #expect(try harbour.ashore() == ["aside", "file.bin"])
        }
    }

    @Test("a transfer that was cancelled since, and its part file removed, is begun anew")
    func cancelledSince() async throws {
        try await sailed { harbour, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: harbour)
            try backUp(harbour)
            try await harbour.ferry("cancel", "1").expect(0)
            #expect(try harbour.ashore() == [])
            let cancelled = try #require(try await harbour.transfers().first)
            #expect(
                cancelled.state == "cancelled" && cancelled.received == 0,
                "a cancelled row claims no bytes"
            )
            try restore(harbour)
            try await finish(url, of: site, in: harbour).expect(0)
            try harbour.expectOnly("file.bin", Self.one)
        }
    }

    @Test("what is cancelled and keeps its part file says so")
    func cancelledWithItsPart() async throws {
        try await sailed { harbour, site, url in
            try await download(url, upTo: 3 * .mebibyte, of: site, in: harbour)
            try await harbour.ferry("cancel", "--keep-part", "1").expect(0)
            #expect(try harbour.ashore() == ["file.bin.part"])
            let cancelled = try #require(try await harbour.transfers().first)
            #expect(cancelled.state == "cancelled" && cancelled.received > .mebibyte)
            let shown = try await harbour.ferry("show", "1")
            #expect(shown.output.contains("its part file was kept"), "\(shown.output)")
        }
    }
}
