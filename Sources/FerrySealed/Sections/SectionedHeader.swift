internal import Crypto

/// The header of a sectioned file: how long its sections are, so that each can be fetched and opened without the others.
///
/// A sectioned file is the payload of a sealed one. Its header has the first chunk, and each section that is not empty
/// begins on a chunk of its own; zeros fill up what is before. The header is these 80 bytes, with numbers in network byte
/// order:
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 8 | `FERRYSEC` |
/// | 8 | 4 | the version, 1 |
/// | 12 | 4 | zero |
/// | 16 | 8 | length of the metadata |
/// | 24 | 8 | length of the thumbnail |
/// | 32 | 8 | length of the data |
/// | 40 | 8 | zero |
/// | 48 | 32 | SHA-256 of the thumbnail |
package struct SectionedHeader: Hashable, Sendable {
    /// The length of the header in bytes.
    package static let length = 80
    private static let magic = Array("FERRYSEC".utf8)
    private static let version: UInt64 = 1
    /// No section is longer, in bytes.
    private static let longest: Int64 = 1 << 60

    private let lengths: [Section: Int64]
    /// The SHA-256 of the thumbnail, 32 bytes. The thumbnail of a file that was sealed anew for other recipients has the
    /// same, so it is not fetched again.
    package let thumbnailHash: [UInt8]

    /// Describes a file with these sections.
    package init(metadata: Int64, thumbnail: [UInt8], data: Int64) {
        lengths = [.metadata: metadata, .thumbnail: Int64(thumbnail.count), .data: data]
        thumbnailHash = Self.hash(thumbnail)
    }

    /// Reads the header at the beginning of a payload.
    ///
    /// - Throws: ``SectionProblem``.
    package init(reading bytes: [UInt8]) throws(SectionProblem) {
        guard bytes.starts(with: Self.magic) else { throw .notSectioned }
        guard bytes.count >= Self.length else { throw .invalid }
        func number(at offset: Int, _ count: Int = 8) -> UInt64 {
            bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard number(at: 8, 4) == Self.version else { throw .unknownVersion }
        guard number(at: 12, 4) == 0, number(at: 40) == 0 else { throw .invalid }
        var lengths: [Section: Int64] = [:]
        for (index, section) in Section.allCases.enumerated() {
            guard let length = Int64(exactly: number(at: 16 + 8 * index)), length <= Self.longest else {
                throw .invalid
            }
            lengths[section] = length
        }
        self.lengths = lengths
        thumbnailHash = Array(bytes[48..<Self.length])
    }

    /// The header as it stands in the first chunk.
    package var encoded: [UInt8] {
        func octets(_ number: UInt64, _ count: Int = 8) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
        }
        let numbers = Section.allCases.flatMap { octets(UInt64(length(of: $0))) }
        return Self.magic + octets(Self.version, 4) + octets(0, 4) + numbers + octets(0) + thumbnailHash
    }

    /// The length of a section in bytes.
    package func length(of section: Section) -> Int64 { lengths[section] ?? 0 }

    /// Where a section lies in the payload; `nil` for an empty one, for which nothing needs to be fetched.
    package func range(of section: Section) -> Range<Int64>? {
        var start = ChunkMap.chunkLength
        for other in Section.allCases {
            let length = length(of: other)
            if other == section { return length > 0 ? start..<(start + length) : nil }
            start += ChunkMap(length: length).alignedLength
        }
        return nil
    }

    /// The length of the whole payload in clear: to the end of the last section that is not empty.
    package var totalLength: Int64 {
        Section.allCases.compactMap { range(of: $0)?.upperBound }.max() ?? Int64(Self.length)
    }

    /// Whether these bytes are the thumbnail.
    package func isThumbnail(_ bytes: [UInt8]) -> Bool { Self.hash(bytes) == thumbnailHash }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}

extension ChunkMap {
    /// The length of the payload, rounded up to whole chunks.
    fileprivate var alignedLength: Int64 { length == 0 ? 0 : count * Self.chunkLength }
}
