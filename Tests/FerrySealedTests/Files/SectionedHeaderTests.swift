import Testing

@testable import FerrySealed

/// Each section of a sectioned file begins on a chunk, and is found by the header alone.
struct SectionedHeaderTests {
    private static let size = ChunkMap.chunkLength

    @Test func eachSectionBeginsOnAChunk() throws {
        let thumbnail = [UInt8](repeating: 3, count: Int(Self.size) + 1)
        let header = SectionedHeader(metadata: 10, thumbnail: thumbnail, data: 200_000)
        #expect(header.range(of: .metadata) == Self.size..<(Self.size + 10))
        #expect(header.range(of: .thumbnail) == (2 * Self.size)..<(3 * Self.size + 1))
        #expect(header.range(of: .data) == (4 * Self.size)..<(4 * Self.size + 200_000))
        #expect(header.totalLength == 4 * Self.size + 200_000)
        #expect(header.isThumbnail(thumbnail) && !header.isThumbnail([3]))
        #expect(header.encoded.count == SectionedHeader.length)
        #expect(try SectionedHeader(reading: header.encoded + [1, 2]) == header)
    }

    @Test func anEmptySectionNeedsNothing() throws {
        let header = SectionedHeader(metadata: 0, thumbnail: [], data: 5)
        #expect(header.range(of: .metadata) == nil && header.range(of: .thumbnail) == nil)
        #expect(header.range(of: .data) == Self.size..<(Self.size + 5))
        #expect(
            SectionedHeader(metadata: 0, thumbnail: [], data: 0).totalLength == Int64(SectionedHeader.length)
        )
    }

    @Test func anotherHeaderIsRefused() {
        let right = SectionedHeader(metadata: 1, thumbnail: [1], data: 1).encoded
        #expect(throws: SectionProblem.notSectioned) { try SectionedHeader(reading: Array("{}".utf8)) }
        #expect(throws: SectionProblem.invalid) { try SectionedHeader(reading: Array(right.dropLast())) }
        for (place, problem) in [
            (0, SectionProblem.notSectioned), (11, .unknownVersion), (8, .unknownVersion), (12, .invalid),
            (16, .invalid), (47, .invalid),
        ] {
            var bytes = right
            bytes[place] ^= 0x80
            #expect(throws: problem, "\(place)") { try SectionedHeader(reading: bytes) }
        }
    }
}
