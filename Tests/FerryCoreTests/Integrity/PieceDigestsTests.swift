import FerryCore
import Foundation
import Testing

struct PieceDigestsTests {
    private static func digests(_ count: Int, _ algorithm: Checksum.Algorithm = .sha1) -> [Checksum] {
        (0..<count).map {
            Checksum(algorithm: algorithm, digest: [UInt8](repeating: UInt8($0), count: algorithm.length))
        }
    }

    @Test func tellWhichBytesAreWhosePiece() throws {
        let pieces = try #require(PieceDigests(length: 10, checksums: Self.digests(3)))
        #expect(
            pieces.fit(size: 21) && pieces.fit(size: 30) && !pieces.fit(size: 20) && !pieces.fit(size: 31)
        )
        #expect(pieces.range(of: 0, inFileOf: 21) == 0..<10 && pieces.range(of: 2, inFileOf: 21) == 20..<21)
        let huge = try #require(PieceDigests(length: .max, checksums: Self.digests(1)))
        #expect(huge.fit(size: 5) && huge.range(of: 0, inFileOf: 5) == 0..<5)
    }

    @Test func surviveARoundTrip() throws {
        for algorithm in Checksum.Algorithm.allCases {
            let pieces = try #require(PieceDigests(length: 7, checksums: Self.digests(5, algorithm)))
            let data = try JSONEncoder().encode(pieces)
            #expect(try JSONDecoder().decode(PieceDigests.self, from: data) == pieces)
        }
    }

    @Test func areRefusedWhereTheyMakeNoSense() {
        #expect(PieceDigests(length: 0, checksums: Self.digests(1)) == nil)
        #expect(PieceDigests(length: 5, checksums: []) == nil)
        #expect(PieceDigests(length: 5, checksums: Self.digests(1) + Self.digests(1, .md5)) == nil)
        for digits in ["", "00", String(repeating: "0", count: 41), String(repeating: "g", count: 40)] {
            let text = #"{"length":5,"algorithm":"sha-1","digests":"\#(digits)"}"#
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(PieceDigests.self, from: Data(text.utf8))
            }
        }
    }
}
