import FerryCore
import FerryTesting
import Testing

@testable import FerryIO

@Suite struct DigesterTests {
    @Test(
        arguments: [
            // RFC 3720 §B.4, which prints the bytes in the order in which iSCSI sends them, the lowest first.
            (.crc32c, [UInt8](repeating: 0, count: 32), "8a9136aa"),
            (.crc32c, [UInt8](repeating: 0xFF, count: 32), "62a8ab43"),
            (.crc32c, Array(0..<32), "46dd794e"),
            (.crc32c, Array((0..<32).reversed()), "113fdb5c"),
            // RFC 1952 §8 has the code; the value is that of zlib, gzip and cksum -a crc32b.
            (.crc32, Array("The quick brown fox jumps over the lazy dog".utf8), "414fa339"),
            (.crc32c, [], "00000000"), (.crc32, [], "00000000"), (.crc64nvme, [], "0000000000000000"),
            // RFC 1321 §A.5, and FIPS 180-4's examples.
            (.md5, [], "d41d8cd98f00b204e9800998ecf8427e"),
            (.md5, Array("message digest".utf8), "f96b697d7cb7938d525a2f31aaf161d0"),
            (.sha1, Array("abc".utf8), "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                .sha256, Array("abc".utf8),
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            ),
            (
                .sha512, Array("abc".utf8),
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                .sha384, Array("abc".utf8),
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                    + "8086072ba1e7cc2358baeca134c825a7"
            ),
        ] as [(Checksum.Algorithm, [UInt8], String)]
    )
    func givesWhatTheSpecificationsGive(algorithm: Checksum.Algorithm, bytes: [UInt8], hex: String) {
        var digester = Digester(algorithm)
        bytes.withUnsafeBytes { digester.update($0) }
        #expect(digester.checksum.hex == hex)
        #expect(ReferenceDigest.digest(algorithm, of: bytes).hex == hex)
    }

    @Test(arguments: Checksum.Algorithm.allCases)
    func piecesGiveTheDigestOfTheWhole(algorithm: Checksum.Algorithm) {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let bytes = random.bytes(upTo: 2_000)
            var digester = Digester(algorithm)
            bytes.withUnsafeBytes { buffer in
                var rest = buffer[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(Int.random(in: 0...200, using: &random))
                    digester.update(UnsafeRawBufferPointer(rebasing: piece))
                    rest = rest[piece.endIndex...]
                }
            }
            #expect(digester.checksum == ReferenceDigest.digest(algorithm, of: bytes), "seed \(seed)")
        }
    }

    @Test(arguments: Checksum.Algorithm.allCases)
    func aCopyGoesItsOwnWay(algorithm: Checksum.Algorithm) {
        var one = Digester(algorithm)
        [UInt8](repeating: 1, count: 100).withUnsafeBytes { one.update($0) }
        var other = one
        let before = one.checksum
        [2].withUnsafeBytes { other.update($0) }
        #expect(one.checksum == before)
        #expect(other.checksum != before)
        #expect(one.checksum == before, "to look at a digest does not change it")
    }

    @Test(
        arguments: [
            (.crc32c, .crc32c, .crc32c), (.crc32, .crc32, .crc32), (.crc64nvme, .crc64nvme, .crc64nvme),
            (.crc64ecma, .crc64ecma, .crc64ecma),
        ] as [(Checksum.Algorithm, RedundancyTables, CyclicRedundancyCheck)]
    )
    func theProcessorTheTablesAndLongDivisionAgree(
        algorithm: Checksum.Algorithm,
        tables: RedundancyTables,
        check: CyclicRedundancyCheck
    ) throws {
        for seed in 0..<400 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let bytes = random.bytes(upTo: 600)
            // Every alignment, and every length around the 16 and 64 bytes that are taken at once.
            let start = Int.random(in: 0...min(70, bytes.count), using: &random)
            let state = random.next() & check.mask
            bytes.withUnsafeBytes { buffer in
                let piece = UnsafeRawBufferPointer(rebasing: buffer[start...])
                let slow = tables.updateByTables(state, with: piece)
                #expect(tables.update(state, with: piece) == slow, "seed \(seed)")
                let value = ~tables.updateByTables(check.mask, with: piece)
                let expected = ReferenceDigest.digest(algorithm, of: Array(piece))
                #expect(
                    Checksum(redundancyCheck: value & check.mask, by: algorithm) == expected,
                    "seed \(seed)"
                )
            }
        }
    }
}

extension SeededRandom {
    fileprivate mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
