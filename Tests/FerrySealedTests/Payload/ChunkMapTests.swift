import Testing

@testable import FerrySealed

/// A map tells where each byte of a payload lies.
struct ChunkMapTests {
    private static let size = ChunkMap.chunkLength
    private static let sealed = ChunkMap.sealedChunkLength

    @Test(
        arguments: [
            (0, 1, 16), (1, 1, 17), (65_535, 1, 65_551), (65_536, 1, 65_552), (65_537, 2, 65_569),
            (131_072, 2, 131_104), (1 << 40, 1 << 24, 1 << 40 + 16 << 24),
        ] as [(Int64, Int64, Int64)]
    )
    func lengthsAreConverted(length: Int64, count: Int64, sealedLength: Int64) throws {
        let map = ChunkMap(length: length)
        #expect(map.count == count && map.sealedLength == sealedLength)
        #expect(try ChunkMap(sealedLength: sealedLength) == map)
        #expect(map.sealedRange(of: 0..<map.count) == 0..<sealedLength)
        #expect(map.range(of: map.last).upperBound == length)
        #expect(map.sealedRange(of: map.last..<map.count).count == map.range(of: map.last).count + 16)
    }

    @Test(
        arguments: [
            (0, .cutShort(chunks: 0)), (-5, .cutShort(chunks: 0)), (1, .cutShort(chunks: 0)),
            (15, .cutShort(chunks: 0)),
            (sealed + 1, .cutShort(chunks: 1)), (sealed + 15, .cutShort(chunks: 1)),
            (sealed + 16, .emptyLast(1)),
            (3 * sealed + 16, .emptyLast(3)),
        ] as [(Int64, SealedProblem)]
    )
    func noPayloadHasSuchALength(_ length: Int64, _ problem: SealedProblem) {
        #expect(throws: problem) { try ChunkMap(sealedLength: length) }
    }

    /// Such a file may be sparse.
    @Test func theLongestFileHasItsLastChunkBeforeItsEnd() throws {
        for sealedLength in [Int64.max, .max - Self.sealed, .max / Self.sealed * Self.sealed] {
            let map = try ChunkMap(sealedLength: sealedLength)
            #expect(map.sealedLength == sealedLength)
            #expect(map.sealedRange(of: map.last..<map.count).upperBound == sealedLength)
            #expect(map.range(of: map.last).upperBound == map.length)
            #expect(map.chunks(for: 0..<Int64.max) == 0..<map.count)
        }
    }

    @Test func aRangeNeedsTheChunksThatHaveIt() {
        let map = ChunkMap(length: 3 * Self.size + 10)
        #expect(map.chunks(for: 0..<1) == 0..<1)
        #expect(map.chunks(for: (Self.size - 1)..<(Self.size + 1)) == 0..<2)
        #expect(map.chunks(for: Self.size..<(2 * Self.size)) == 1..<2)
        #expect(map.chunks(for: (3 * Self.size + 5)..<Int64.max) == 3..<4)
        #expect(map.chunks(for: 0..<Int64.max) == 0..<4)
        for empty in [Int64(0)..<0, 5..<5, map.length..<Int64.max] { #expect(map.chunks(for: empty).isEmpty) }
        #expect(ChunkMap(length: 0).chunks(for: 0..<10).isEmpty)
        #expect(map.sealedRange(of: 2..<4) == (2 * Self.sealed)..<map.sealedLength)
        #expect(map.sealedRange(of: 1..<2) == Self.sealed..<(2 * Self.sealed))
    }
}
