import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("Verifying finished files", .timeLimit(.minutes(10)))
struct VerifyingTests {
    @Test func aFinishedFileIsHeldAgainstItsDigestOrAnother() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        var options = DownloadOptions()
        options.checksum = ReferenceDigest.digest(.crc64nvme, of: bench.bytes)
        let handle = try await engine.download(from: bench.url, to: bench.destination, options: options)
        try await engine.run()
        _ = try await handle.value()

        let own = try await engine.verify(handle.id)
        #expect(own.isRight && own.failure == nil && own.path == "/d/file.bin" && own.transfer == handle.id)
        #expect(own.expected.algorithm == .crc64nvme)
        let right = ReferenceDigest.digest(.sha256, of: bench.bytes)
        #expect(try await engine.verify(handle.id, against: right).isRight)
        let wrong = ReferenceDigest.digest(.sha256, of: bench.bytes + [0])
        let other = try await engine.verify(handle.id, against: wrong)
        #expect(!other.isRight && other.found == right)
        let failure = try #require(other.failure)
        #expect(failure.code == .checksumMismatch)
        #expect(failure.message.contains(right.hex) && failure.message.contains(wrong.hex))
    }

    @Test func whatIsNotFinishedOrHasNoDigestIsNotVerified() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        await #expect(throws: StoreError.self) { try await engine.verify(handle.id) }
        try await engine.run()
        let refusal = await #expect(throws: StoreError.self) { try await engine.verify(handle.id) }
        #expect(refusal?.description.contains("nothing was compared") == true)
        #expect(refusal?.remedies == [.giveDigest])
        await #expect(throws: StoreError.noSuchTransfer(TransferID(rawValue: 99))) {
            try await engine.verify(TransferID(rawValue: 99))
        }
    }
}
