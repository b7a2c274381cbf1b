import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("The digest that a server sends with a file", .timeLimit(.minutes(10)))
struct ServerDigestTests {
    /// The header field in which Alibaba Cloud's object storage sends the digest of these bytes.
    static func fields(sayingDigestOf bytes: [UInt8]) throws -> HTTPFields {
        let name = try #require(HTTPField.Name("x-oss-hash-crc64ecma"))
        let digest = ReferenceDigest.digest(.crc64ecma, of: bytes)
        return [name: String(try #require(UInt64(digest.hex, radix: 16)))]
    }

    /// A machine whose server sends the digest of these bytes.
    private func bench(sayingDigestOf bytes: [UInt8]? = nil) throws -> Bench {
        let bench = try Bench()
        var resource = ScriptedResource(bench.bytes, entityTag: "\"v1\"")
        resource.headers = try Self.fields(sayingDigestOf: bytes ?? bench.bytes)
        bench.transport.set(resource, at: bench.url)
        return bench
    }

    @Test func isWhatTheFileIsHeldAgainst() async throws {
        let bench = try bench()
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await engine.run()
        #expect(try bench.published == bench.bytes)
        #expect(try await handle.snapshot.downloadProgress.volunteered?.algorithm == .crc64ecma)
        #expect(try await engine.verify(handle.id).isRight, "it is kept for later")
    }

    @Test func keepsAFileWithOtherBytesFromItsName() async throws {
        let bench = try bench(sayingDigestOf: [1])
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await engine.run()
        guard case .failed(let failure) = try await handle.snapshot.state else {
            Issue.record("\(try await handle.snapshot.state)")
            return
        }
        #expect(
            failure.code == .checksumMismatch && failure.remedies.contains(.ignoreServerDigests)
        )
        for bytes in [bench.bytes, [1]] {
            #expect(failure.message.contains(ReferenceDigest.digest(.crc64ecma, of: bytes).hex))
        }
        #expect(try bench.published == nil)
    }

    @Test(arguments: [true, false])
    func countsForNothingBesideTheUsersWord(givesChecksum: Bool) async throws {
        let bench = try bench(sayingDigestOf: [1])
        let engine = bench.engine()
        var options = DownloadOptions()
        if givesChecksum {
            options.checksum = ReferenceDigest.digest(.sha256, of: bench.bytes)
        } else {
            options.ignoresServerDigests = true
        }
        _ = try await engine.download(from: bench.url, to: bench.destination, options: options)
        try await engine.run()
        #expect(try bench.published == bench.bytes)
    }

    @Test func countsForNothingOnceItIsNotWantedThoughAnEarlierAttemptRecordedIt() async throws {
        let bench = try bench(sayingDigestOf: [1])
        bench.transport.order(.breakAfter(6_000), at: bench.url)
        var options = DownloadOptions()
        options.retries = 0
        let engine = bench.engine()
        let id = try await engine.download(from: bench.url, to: bench.destination, options: options).id
        try await engine.run()
        #expect(try await engine.snapshot(of: id).downloadProgress.volunteered != nil)
        options.ignoresServerDigests = true
        let second = bench.engine()
        _ = try await second.download(from: bench.url, to: bench.destination, options: options)
        try await second.run()
        #expect(try await second.snapshot(of: id).state == .completed)
        #expect(try bench.published == bench.bytes)
        #expect(bench.transport.requests.count == 2, "the existing bytes were resumed")
        await #expect(throws: StoreError.self) { try await second.verify(id) }
    }

    @Test func leavesAFileWithOtherBytesWhereItIsForALook() async throws {
        let bench = try bench(sayingDigestOf: [1])
        var options = DownloadOptions()
        options.keepsMismatch = true
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        try await engine.run()
        guard case .failed(let failure) = try await handle.snapshot.state else {
            Issue.record("\(try await handle.snapshot.state)")
            return
        }
        #expect(failure.message.contains("/d/file.bin.part") && failure.remedies.first == .moveAway)
        try await engine.remove([handle.id])
        #expect(bench.files.names(in: "/d") == ["file.bin.part"])
        let part = try FileName(userGiven: "file.bin.part")
        #expect(bench.files.contents(of: part, in: "/d") == bench.bytes)
    }

    @Test func isKnownToTheNextProcess() async throws {
        let bench = try bench(sayingDigestOf: [1])
        bench.transport.order(.breakAfter(6_000), at: bench.url)
        var options = DownloadOptions()
        options.retries = 0
        let first = bench.engine()
        let id = try await first.download(from: bench.url, to: bench.destination, options: options).id
        try await first.run()
        var plain = ScriptedResource(bench.bytes, entityTag: "\"v1\"")
        plain.headers = [:]
        bench.transport.set(plain, at: bench.url)
        let second = bench.engine()
        _ = try await second.download(from: bench.url, to: bench.destination, options: options)
        try await second.run()
        guard case .failed(let failure) = try await second.snapshot(of: id).state else {
            Issue.record("what the first answer said was forgotten")
            return
        }
        #expect(failure.code == .checksumMismatch)
    }
}
