import Ferry
import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// Mirrors that a server names together with a digest (RFC 6249). Neither counts without the other.
@Suite("A download from mirrors that its server names", .timeLimit(.minutes(10)))
struct NamedMirrorTests {
    private let bench: Bench
    private let mirror: HTTPURL

    init() throws {
        bench = try Bench()
        mirror = try HTTPURL(parsing: "http://mirror.example/other/name.bin")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"m1\""), at: mirror)
    }

    /// Bytes of the same length that all differ.
    private var others: [UInt8] { bench.bytes.map { ~$0 } }

    private func options(_ change: (inout DownloadOptions) -> Void = { _ in }) -> DownloadOptions {
        var options = DownloadOptions()
        options.retries = 0
        change(&options)
        return options
    }

    /// Runs a download to its end.
    private func run(_ options: DownloadOptions) async throws -> Transfer {
        try await bench.fetch(options)
    }

    private func asked(of url: HTTPURL) -> Int {
        bench.transport.requests.count { $0.url.host == url.host }
    }

    /// A server that has `bytes`, names a mirror, and sends the digest of `truth` for the file.
    private func serve(
        _ bytes: [UInt8],
        tag: String = "\"v1\"",
        naming mirror: HTTPURL?,
        sayingDigestOf truth: [UInt8]?,
        by algorithm: Checksum.Algorithm = .sha256
    ) throws {
        var resource = ScriptedResource(bytes, entityTag: tag)
        let link = try #require(HTTPField.Name("Link"))
        resource.headers[link] = mirror.map { "<\($0.absoluteString)>; rel=duplicate; pri=1" }
        if let truth {
            let (name, value) = try digestField(of: truth, by: algorithm)
            resource.headers[name] = value
        }
        bench.transport.set(resource, at: bench.url)
    }

    private func digestField(
        of bytes: [UInt8],
        by algorithm: Checksum.Algorithm = .sha256
    ) throws -> (HTTPField.Name, String) {
        let hex = ReferenceDigest.digest(algorithm, of: bytes).hex
        if algorithm == .crc64ecma {
            let name = try #require(HTTPField.Name("x-oss-hash-crc64ecma"))
            return (name, String(try #require(UInt64(hex, radix: 16))))
        }
        let octets = stride(from: 0, to: hex.count, by: 2).compactMap {
            UInt8(hex.dropFirst($0).prefix(2), radix: 16)
        }
        let name = try #require(HTTPField.Name("Repr-Digest"))
        return (name, "\(algorithm.rawValue)=:\(Base64.encoded(octets)):")
    }

    @Test func goOnWhereTheServerBreaksOff() async throws {
        try serve(bench.bytes, naming: mirror, sayingDigestOf: bench.bytes)
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let transfer = try await run(options())
        #expect(transfer.state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(transfer.downloadProgress.mirroring.discovered == [mirror] && asked(of: mirror) == 1)
    }

    @Test(arguments: [0, 1, 2, 3])
    func areNotAskedWhereTheyAreNotWanted(reason: Int) async throws {
        // A CRC does not prove who sent the bytes.
        let algorithm: Checksum.Algorithm = reason == 3 ? .crc64ecma : .sha256
        let truth = reason == 0 ? nil : bench.bytes
        try serve(bench.bytes, naming: mirror, sayingDigestOf: truth, by: algorithm)
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let transfer = try await run(
            options {
                $0.ignoresServerMirrors = reason == 1
                $0.ignoresServerDigests = reason == 2
            }
        )
        #expect(transfer.failure != nil && asked(of: mirror) == 0)
    }

    @Test(arguments: [true, false])
    func areAskedWithoutTheUsersSecrets(isNamed: Bool) async throws {
        let path = try HTTPURL(parsing: "http://\(bench.url.hostAndPort)/account/delete")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"m1\""), at: path)
        try serve(bench.bytes, naming: isNamed ? path : nil, sayingDigestOf: bench.bytes)
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let transfer = try await run(
            options {
                $0.mirrors = isNamed ? [] : [path]
                $0.credentials = .bearer(token: "geheim")
                $0.headers = [.init(name: "X-Api", value: "geheim")]
                $0.connection.clientCertificate = ClientCertificate(certificateFile: "/geheim")
            }
        )
        #expect(transfer.state == .completed)
        let sent = bench.transport.requests.filter { $0.url == path }.map {
            ("\($0.headers)", $0.connection.clientCertificate)
        }
        #expect(!sent.isEmpty && sent.allSatisfy { $0.0.contains("geheim") != isNamed })
        #expect(sent.allSatisfy { ($0.1 == nil) == isNamed })
    }

    // MARK: What the server says of the file holds for them

    @Test(arguments: [true, false], [true, false])
    func areHeldAgainstTheDigestThatTheServersOwnBytesDoNotHave(isNamed: Bool, isRight: Bool) async throws {
        try serve(others, naming: isNamed ? mirror : nil, sayingDigestOf: bench.bytes)
        let wrong = [UInt8](repeating: 1, count: bench.bytes.count)
        bench.transport.set(ScriptedResource(isRight ? bench.bytes : wrong, entityTag: "\"m1\""), at: mirror)
        let transfer = try await run(options { if !isNamed { $0.mirrors = [mirror] } })
        #expect(asked(of: mirror) == 1)
        #expect(try bench.published == (isRight ? bench.bytes : nil))
        #expect(transfer.failure?.code == (isRight ? nil : .checksumMismatch))
    }

    @Test(arguments: [true, false])
    func areHeldAgainstItWhereTheServerItselfGaveNothing(isRight: Bool) async throws {
        try serve(bench.bytes, naming: mirror, sayingDigestOf: bench.bytes)
        bench.transport.set(ScriptedResource(isRight ? bench.bytes : others, entityTag: "\"m1\""), at: mirror)
        bench.transport.order(.breakAfter(0), at: bench.url)
        bench.transport.order(.answer(status: 503, [:]), at: mirror)
        let first = try await run(options())
        #expect(first.failure != nil && first.downloadProgress.segments.received == 0)
        for _ in 0..<2 { bench.transport.order(.answer(status: 503, [:]), at: bench.url) }
        let second = try await run(options())
        #expect(asked(of: mirror) == 2)
        #expect(try bench.published == (isRight ? bench.bytes : nil))
        #expect(second.state == .completed || !isRight)
    }

    @Test func arePassedOverWhereTheyHaveAnotherLengthOrDigestThanWasTold() async throws {
        let (name, another) = try digestField(of: others)
        for isLonger in [true, false] {
            try serve(bench.bytes, naming: mirror, sayingDigestOf: bench.bytes)
            var other = ScriptedResource(isLonger ? bench.bytes + [0] : others, entityTag: "\"m1\"")
            if !isLonger { other.headers[name] = another }
            bench.transport.set(other, at: mirror)
            bench.transport.order(.breakAfter(0), at: bench.url)
            bench.transport.order(.answer(status: 503, [:]), at: mirror)
            #expect(try await run(options()).failure != nil)
            bench.transport.order(.answer(status: 503, [:]), at: bench.url)
            let transfer = try await run(options())
            let mirroring = transfer.downloadProgress.mirroring
            #expect(
                transfer.failure != nil && mirroring.excluded.values.contains(isLonger ? .length : .digest)
            )
            #expect(try bench.published == nil)
        }
    }

    @Test func ofAFormerVersionAreForgottenWithIt() async throws {
        try serve(bench.bytes, naming: mirror, sayingDigestOf: bench.bytes)
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        bench.transport.order(.answer(status: 503, [:]), at: mirror)
        #expect(try await run(options()).failure != nil)
        let next = try HTTPURL(parsing: "http://next.example/f")
        bench.transport.set(ScriptedResource(others, entityTag: "\"n1\""), at: next)
        try serve(others, tag: "\"v2\"", naming: next, sayingDigestOf: others)
        bench.transport.order(.breakAfter(5_000), at: bench.url)
        let transfer = try await run(options())
        #expect(transfer.state == .completed && transfer.downloadProgress.mirroring.discovered == [next])
        #expect(try bench.published == others)
        #expect(asked(of: mirror) == 1 && asked(of: next) == 1)
    }

    @Test func areForgottenWhereTheNewVersionComesWithoutADigest() async throws {
        try serve(bench.bytes, naming: mirror, sayingDigestOf: bench.bytes)
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        bench.transport.order(.answer(status: 503, [:]), at: mirror)
        #expect(try await run(options()).failure != nil)
        try serve(others, tag: "\"v2\"", naming: mirror, sayingDigestOf: nil)
        bench.transport.order(.breakAfter(5_000), at: bench.url)
        let transfer = try await run(options())
        #expect(transfer.failure != nil && transfer.downloadProgress.mirroring.discovery == nil)
        #expect(asked(of: mirror) == 1)
    }
}
