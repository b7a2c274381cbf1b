extension SealedPayload {
    /// The longest thumbnail that is compared with the hash in the header, in bytes. Ferry seals no longer one.
    package static let longestThumbnail = 16 << 20

    /// The range of a section in the payload of a sectioned file; an empty range for an empty section. Reads only the header of the
    /// sections; for the thumbnail, the thumbnail too.
    ///
    /// - Throws: ``SectionProblem`` for a payload without sections, and for a thumbnail that is not the one of the header; what
    ///   reading it throws.
    package func range(of section: Section) async throws -> Range<Int64> {
        let header = try SectionedHeader(reading: try await bytes(0..<Int64(SectionedHeader.length)))
        guard header.totalLength == length else { throw SectionProblem.invalid }
        guard let range = header.range(of: section) else { return 0..<0 }
        if section == .thumbnail, range.count <= Self.longestThumbnail {
            guard header.isThumbnail(try await bytes(range)) else { throw SectionProblem.otherThumbnail }
        }
        return range
    }
}
