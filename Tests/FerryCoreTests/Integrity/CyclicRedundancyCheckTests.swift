import FerryCore
import FerryTesting
import Testing

struct CyclicRedundancyCheckTests {
    private static let checks = Checksum.Algorithm.allCases.filter { $0.redundancyCheck != nil }

    @Test func thereAreFour() {
        #expect(Self.checks == [.crc64nvme, .crc64ecma, .crc32c, .crc32])
    }

    @Test(arguments: checks)
    func theChecksOfPiecesGiveThatOfTheWhole(algorithm: Checksum.Algorithm) throws {
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let whole = ReferenceDigest.digest(algorithm, of: bytes)
            let cuts =
                [0, bytes.count] + (0..<2).map { _ in Int.random(in: 0...bytes.count, using: &random) }
            var pieces = zip(cuts.sorted(), cuts.sorted().dropFirst()).map { Array(bytes[$0..<$1]) }
            var checksum = ReferenceDigest.digest(algorithm, of: pieces.removeFirst())
            for piece in pieces {
                let next = ReferenceDigest.digest(algorithm, of: piece)
                checksum = try #require(checksum.appending(next, length: Int64(piece.count)))
            }
            #expect(checksum == whole, "seed \(seed)")
        }
    }

    @Test(arguments: checks)
    func theOrderOfCombiningDoesNotMatter(algorithm: Checksum.Algorithm) throws {
        let check = try #require(algorithm.redundancyCheck)
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let (a, b, c) = (
                random.next() & check.mask, random.next() & check.mask, random.next() & check.mask
            )
            // Lengths that no test could read, to both ends of what there is.
            let second =
                Int64.random(in: 0...(.max / 2), using: &random) >> Int64.random(in: 0..<62, using: &random)
            let third =
                Int64.random(in: 0...(.max / 2), using: &random) >> Int64.random(in: 0..<62, using: &random)
            let left = check.combined(check.combined(a, b, length: second), c, length: third)
            let right = check.combined(a, check.combined(b, c, length: third), length: second + third)
            #expect(left == right, "seed \(seed)")
            #expect(check.combined(a, 0, length: 0) == a, "nothing behind it changes nothing")
        }
        #expect(check.combined(0, 1, length: .max) == 1, "nothing in front of it changes nothing")
    }

    @Test func aTebibyteOfZerosIsThatOfItsHalves() throws {
        // The check of 2^n zeros by n doublings, held against one by squaring.
        let check = CyclicRedundancyCheck.crc64nvme
        let one = try #require(UInt64(ReferenceDigest.digest(.crc64nvme, of: [0]).hex, radix: 16))
        var doubled = one
        for step in 0..<40 { doubled = check.combined(doubled, doubled, length: 1 << Int64(step)) }
        let half = try #require(UInt64(ReferenceDigest.digest(.crc64nvme, of: [0, 0]).hex, radix: 16))
        var other = half
        for step in 0..<39 { other = check.combined(other, other, length: 2 << Int64(step)) }
        #expect(doubled == other)
        #expect(doubled != one)
    }

    @Test func onlyWhatCanBeCombinedIs() {
        let bytes: [UInt8] = [1]
        let hash = ReferenceDigest.digest(.sha256, of: bytes)
        let nvme = ReferenceDigest.digest(.crc64nvme, of: bytes)
        let ecma = ReferenceDigest.digest(.crc64ecma, of: bytes)
        #expect(hash.appending(hash, length: 1) == nil)
        #expect(nvme.appending(ecma, length: 1) == nil)
        #expect(nvme.appending(nvme, length: -1) == nil)
        #expect(nvme.appending(nvme, length: 1) != nil)
    }
}
