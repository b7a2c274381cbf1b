import FerryCore
import FerryTesting
import Testing

@testable import FerryIO

@Suite("A digest that is computed while the file is written")
struct RunningDigestTests {
    private static let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    private static func checksum(_ count: Int) -> Checksum {
        ReferenceDigest.digest(.sha256, of: Array(bytes.prefix(count)))
    }

    private func take(_ range: Range<Int>, into digest: RunningDigest) {
        Array(Self.bytes[range]).withUnsafeBytes { digest.take($0, at: Int64(range.lowerBound)) }
    }

    private func begun() -> RunningDigest {
        let digest = RunningDigest()
        digest.begin(.sha256)
        return digest
    }

    @Test func takesWhatComesInOrderAndNothingElse() {
        let digest = begun()
        take(0..<1_000, into: digest)
        take(5_000..<6_000, into: digest)
        take(1_000..<3_000, into: digest)
        let (digester, position) = digest.latest(.sha256)
        #expect(position == 3_000 && digester.checksum == Self.checksum(3_000))
        #expect(digest.latest(.sha1).position == 0)
    }

    @Test func beginsAnewWhenTheFileGoesBack() {
        let digest = begun()
        take(0..<3_000, into: digest)
        take(1_000..<2_000, into: digest)
        #expect(digest.latest(.sha256).position == 0)
        take(0..<500, into: digest)
        #expect(digest.latest(.sha256).digester.checksum == Self.checksum(500))
        digest.cut(to: 500)
        #expect(digest.latest(.sha256).position == 500)
        digest.cut(to: 499)
        #expect(digest.latest(.sha256).position == 0)
    }

    @Test func whatWasLentBeforeTheFileWentBackDoesNotReturn() throws {
        let digest = begun()
        take(0..<1_000, into: digest)
        var loan = try #require(digest.lend())
        #expect(digest.lend() == nil)
        loan.position = 4_000
        digest.cut(to: 0)
        take(0..<100, into: digest)
        digest.giveBack(loan)
        let (digester, position) = digest.latest(.sha256)
        #expect(position == 100 && digester.checksum == Self.checksum(100))
    }

    /// A reader that runs ahead does not force the final digest to start over at the first byte.
    @Test func isThereWhileACopyOfItReadsAhead() throws {
        let digest = begun()
        take(0..<1_000, into: digest)
        var loan = try #require(digest.lend())
        loan.position = 4_000
        let (digester, position) = digest.latest(.sha256)
        #expect(position == 1_000 && digester.checksum == Self.checksum(1_000))
        #expect(!digest.giveBack(loan), "it is not wanted any more")
        #expect(digest.latest(.sha256).position == 1_000)
    }

    @Test func isNothingBeforeAnAlgorithmIsNamed() {
        let digest = RunningDigest()
        take(0..<1_000, into: digest)
        digest.cut(to: 0)
        #expect(digest.lend() == nil && digest.latest(.sha256).position == 0)
    }
}
