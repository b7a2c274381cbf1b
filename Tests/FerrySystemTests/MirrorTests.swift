import Foundation
import Glibc
import Testing

/// One file from several servers, with the real binary.
@Suite("Several servers", .limitedParallelism)
struct MirrorTests {
    private static let content = Content(count: 12 * .mebibyte + 4_321, seed: 501)
    /// A file of the same length, with other bytes in every part of it.
    private static let otherContent: Content = {
        var bytes = MirrorTests.content.bytes
        for index in stride(from: 0, to: bytes.count, by: 1000) { bytes[index] ^= 1 }
        return Content(bytes: bytes)
    }()

    /// A file of the same length, and with the same beginning.
    private static let otherEnd = Content(
        bytes: Data(content.bytes.prefix(2 * .mebibyte)) + otherContent.bytes.dropFirst(2 * .mebibyte)
    )

    /// The file as one server has it, with its own entity tag.
    private func version(_ tag: String, of content: Content = content) -> ScenarioVersion {
        ScenarioVersion(content: content, tag: "\"\(tag)\"")
    }

    private typealias Served = (site: PacedSite, server: ScriptedServer)

    /// Serves a version at this many bytes per second and connection.
    private func serve(
        _ version: ScenarioVersion,
        at rate: Int
    ) throws -> Served {
        let site = PacedSite(version) { _ in rate }
        return (site, try ScriptedServer(playing: site.answer))
    }

    /// Serves two versions, each at its rate, while `body` runs.
    private func serving(
        _ first: (version: ScenarioVersion, rate: Int),
        _ second: (version: ScenarioVersion, rate: Int),
        _ body: (Served, Served, Sandbox) async throws -> Void
    ) async throws {
        let one = try serve(first.version, at: first.rate)
        defer { one.server.stop() }
        let other = try serve(second.version, at: second.rate)
        defer { other.server.stop() }
        try await Sandbox.open { sandbox in try await body(one, other, sandbox) }
    }

    /// The SHA-256 digests of the file's pieces of this length.
    private func digests(each length: Int = .max, in sandbox: Sandbox) async throws -> [String] {
        try sandbox.publish(Self.content, as: "reference")
        let line = "split -b \(min(length, 1 << 40)) --filter=sha256sum '\(sandbox.site)/reference'"
        return try await sandbox.shell(line).output.split(separator: "\n").map { String($0.prefix(64)) }
    }

    private func checksum(in sandbox: Sandbox) async throws -> [String] {
        ["--checksum", "sha256=\(try #require(try await digests(in: sandbox).first))"]
    }

    @Test("two servers share a file with a digest, and the fast one sends more")
    func shares() async throws {
        try await serving((version("slow"), 400_000), (version("fast"), 4_000_000)) { slow, fast, sandbox in
            let line = ["get", "-o", "file.bin", slow.server.url("f"), "--mirror", fast.server.url("g")]
            try await sandbox.launch(line + checksum(in: sandbox)).outcome().expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
            let (few, many) = (slow.site.ledger().sent, fast.site.ledger().sent)
            #expect(many > few && few > 0, "\(few) and \(many) bytes")
        }
    }

    @Test("without a digest, under strict resume, a mirror is not used while the server answers")
    func doesNotMixOnTrust() async throws {
        try await serving((version("own"), 4_000_000), (version("mirror"), 4_000_000)) {
            own,
            mirror,
            sandbox in
            let line = [
                "get", "-o", "file.bin", own.server.url("file.bin"), "--mirror", mirror.server.url("x"),
            ]
            try await sandbox.launch(line + ["--strict-resume"]).outcome().expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
            #expect(mirror.site.ledger().sent == 0)
        }
    }

    @Test("without a digest, two servers with strong ETags share a file, which is called overlap-checked")
    func sharesWithoutADigest() async throws {
        try await serving((version("slow"), 400_000), (version("fast"), 4_000_000)) { slow, fast, sandbox in
            let line = ["get", "-o", "file.bin", slow.server.url("f"), "--mirror", fast.server.url("g")]
            let told = try await sandbox.launch(line).outcome()
            told.expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
            let (few, many) = (slow.site.ledger().sent, fast.site.ledger().sent)
            #expect(few > 0 && few < Self.content.count && many > few, "\(few) and \(many) bytes")
            #expect(told.errors.contains("where the parts of two servers meet"), "\(told.errors)")
        }
    }

    @Test("without a digest, a mirror without a strong ETag gives no byte of the file")
    func sharesNothingWithoutAStrongTag() async throws {
        let weak = ScenarioVersion(content: Self.content, tag: "W/\"mirror\"")
        try await serving((version("own"), 4_000_000), (weak, 4_000_000)) { own, mirror, sandbox in
            let line = ["get", "-o", "file.bin", own.server.url("f"), "--mirror", mirror.server.url("x")]
            try await sandbox.launch(line).outcome().expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
            #expect(own.site.ledger().sent >= Self.content.count)
        }
    }

    @Test("without a digest, a mirror with other bytes is found where they meet, and the file is right")
    func findsOtherBytesWhereTheyMeet() async throws {
        try await findsOtherBytes("other bytes at the same place") { _ in [] }
    }

    @Test("without a digest, a mirror with another end is found, and the file is right")
    func findsAnotherEnd() async throws {
        try await findsOtherBytes("other bytes at the same place", of: Self.otherEnd) { _ in [] }
    }

    @Test("a mirror with other bytes is found by the digest and named, and the file is right")
    func findsTheLiar() async throws {
        try await findsOtherBytes("do not have the required digest") { try await checksum(in: $0) }
    }

    /// Downloads the file with a mirror that has other bytes. Expects the right file, and a message about the mirror.
    private func findsOtherBytes(
        _ message: String,
        of content: Content = otherContent,
        with options: (Sandbox) async throws -> [String]
    ) async throws {
        try await serving(
            (version("own"), 1_000_000),
            (version("liar", of: content), 3_000_000)
        ) { own, liar, sandbox in
            let line = ["get", "-o", "file.bin", own.server.url("f"), "--mirror", liar.server.url("x")]
            let more = try await options(sandbox)
            let told = try await sandbox.launch(line + more).outcome()
            told.expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
            #expect(liar.site.ledger().sent > 0, "it was never asked")
            #expect(told.errors.contains(message), "\(told.errors)")
        }
    }

    @Test("with the piece digests of a Metalink, only wrong pieces are fetched again")
    func mendsPieces() async throws {
        var bytes = Self.content.bytes
        bytes[5 * .mebibyte + 17] ^= 1
        try await serving(
            (version("own", of: Content(bytes: bytes)), 20_000_000),
            (version("right"), 20_000_000)
        ) { own, right, sandbox in
            let pieces = try await digests(each: .mebibyte, in: sandbox).map { "<hash>\($0)</hash>" }
            let whole = try #require(try await digests(in: sandbox).first)
            let document = """
                <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="file.bin">
                <size>\(Self.content.count)</size><hash type="sha-256">\(whole)</hash>
                <pieces length="\(Int.mebibyte)" type="sha-256">\(pieces.joined())</pieces>
                <url priority="1">\(own.server.url("a"))</url><url priority="2">\(right.server.url("b"))</url>
                </file></metalink>
                """
            try document.write(toFile: sandbox.path(of: "x.meta4"), atomically: true, encoding: .utf8)
            // With one connection, all bytes come from the first server.
            let told = try await sandbox.ferry("get", "-x", "1", "--metalink", "x.meta4")
            told.expect(0)
            try FileManager.default.removeItem(atPath: sandbox.path(of: "x.meta4"))
            try sandbox.expectOnly("file.bin", Self.content)
            #expect(own.site.ledger().sent == Self.content.count)
            let again = right.site.ledger().sent
            #expect(again >= .mebibyte && again <= .mebibyte + 65_536 + 262_144, "\(again) bytes")
            #expect(told.errors.contains("1 piece has the wrong digest"), "\(told.errors)")
        }
    }

    @Test("without a digest, the next process compares what was not compared", arguments: [true, false])
    func comparesAfterAKill(isRight: Bool) async throws {
        let own = try serve(version("own"), at: 700_000)
        let mirror = try serve(
            version("mirror", of: isRight ? Self.content : Self.otherContent),
            at: 700_000
        )
        defer { own.server.stop() }
        defer { mirror.server.stop() }
        try await Sandbox.open { sandbox in
            let line = ["get", "-o", "file.bin", own.server.url("f"), "--mirror", mirror.server.url("x")]
            let process = try sandbox.launch(line)
            try await sandbox.transferBecomes("a good part") { $0.received > 3_000_000 }
            process.send(SIGKILL)
            #expect(try await process.outcome().exit == .signal(SIGKILL))
            #expect(mirror.site.ledger().sent > 0, "it gave nothing")
            try await sandbox.launch(line).outcome().expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
        }
    }

    @Test("a download from several servers resumes after a kill, even if one server is gone")
    func goesOnAfterAKill() async throws {
        let own = try serve(version("own"), at: 700_000)
        let mirror = try serve(version("mirror"), at: 700_000)
        defer { mirror.server.stop() }
        try await Sandbox.open { sandbox in
            let line =
                ["get", "-o", "file.bin", own.server.url("f"), "--mirror", mirror.server.url("x")]
                + (try await checksum(in: sandbox))
            let process = try sandbox.launch(line)
            try await sandbox.transferBecomes("a good part") { $0.received > 3_000_000 }
            process.send(SIGKILL)
            #expect(try await process.outcome().exit == .signal(SIGKILL))
            #expect(own.site.ledger().sent > 0 && mirror.site.ledger().sent > 0, "both gave something")
            own.server.stop()
            try await sandbox.launch(line).outcome().expect(0)
            try sandbox.expectOnly("file.bin", Self.content)
            #expect(mirror.site.ledger().sent < Self.content.count, "what was there was not fetched again")
        }
    }
}
