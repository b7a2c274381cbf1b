/// How a file is sealed while it is written, in the format of age, version 1 (https://age-encryption.org/v1).
///
/// A download counts the bytes in clear. Its file has a preamble, and a tag for each chunk.
package struct PartSeal: Hashable, Sendable, Codable {
    /// What stands before the first chunk, in bytes: the header and the nonce.
    package let preambleLength: Int64
    /// The key of the payload, wrapped; `nil` once the file is complete.
    package private(set) var key: [UInt8]?
    /// What stands before the first chunk, which is no secret; `nil` once the file is complete. Without it nothing of the file
    /// could be opened, so it is compared with the file before that is published.
    package private(set) var preamble: [UInt8]?

    /// The number of bytes in clear of every chunk but the last.
    package static let chunkLength: Int64 = 64 << 10
    /// The number of bytes by which a chunk is longer when it is sealed.
    private static let tagLength: Int64 = 16

    /// Describes an unfinished file.
    package init(preamble: [UInt8], key: [UInt8]) {
        preambleLength = Int64(preamble.count)
        (self.preamble, self.key) = (preamble, key)
    }

    /// Erases what only an unfinished file needs.
    mutating func erase() { (key, preamble) = (nil, nil) }

    /// The length of the sealed file.
    ///
    /// - Parameter length: the number of its bytes in clear.
    package func fileLength(of length: Int64) -> Int64 {
        let chunks = max(1, (length + Self.chunkLength - 1) / Self.chunkLength)
        return preambleLength + length + chunks * Self.tagLength
    }

    /// How many bytes in clear a file of this length may have.
    package func length(ofFile length: Int64) -> Int64 {
        let payload = max(0, length - preambleLength)
        let (whole, rest) = payload.quotientAndRemainder(dividingBy: Self.chunkLength + Self.tagLength)
        return whole * Self.chunkLength + max(0, rest - Self.tagLength)
    }
}

extension DownloadProgress {
    /// The length of the file in bytes; `nil` while it is unknown. A sealed file is longer than what it has in clear.
    package var fileLength: Int64? {
        segments.length.map { part?.seal?.fileLength(of: $0) ?? $0 }
    }
}

extension SegmentMap {
    /// The map as far as chunks of a sealed file are on the disk. A chunk is sealed when all of it has come. The last one is
    /// sealed when the file is complete, as another one might follow.
    func sealed() -> SegmentMap {
        var sealed = self
        sealed.truncateClaimsInside(chunksOf: PartSeal.chunkLength)
        return sealed
    }
}

extension FileSurvey {
    /// The survey with the length in clear of the file that a transfer claims.
    func inClear(for claim: PartFileClaim?) -> FileSurvey {
        guard let claim, let seal = claim.seal else { return self }
        func inClear(_ entry: Entry?) -> Entry? {
            guard var entry, entry.kind == .file, entry.identity.isSameFile(as: claim.identity) else {
                return entry
            }
            entry.length = seal.length(ofFile: entry.length)
            return entry
        }
        var survey = self
        (survey.final, survey.part) = (inClear(final), inClear(part))
        return survey
    }
}
