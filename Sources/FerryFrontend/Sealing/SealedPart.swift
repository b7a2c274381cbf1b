package import Ferry
package import FerrySealed

/// A part of a sealed file that is opened without the rest.
package enum SealedPart: Hashable, Sendable {
    /// A range of the payload.
    case range(ByteRange)
    /// A section of a sectioned file.
    case section(Section)

    /// The bytes of the payload that are the part.
    ///
    /// - Throws: ``CommandFailure`` with status 15 for a file without sections, and with 32 for a thumbnail that is not the one
    ///   of the header.
    package func range(of payload: SealedPayload, named name: String) async throws -> Range<Int64> {
        switch self {
        case .range(.from(let first, let last)):
            let end = min(payload.length, last.map { $0 + 1 } ?? payload.length)
            return first..<max(first, end)
        case .range(.last(let count)): return max(0, payload.length - count)..<payload.length
        case .section(let section):
            do {
                let header = try SectionedHeader(
                    reading: try await payload.bytes(0..<Int64(SectionedHeader.length))
                )
                guard header.totalLength == payload.length else { throw SectionProblem.invalid }
                guard let range = header.range(of: section) else { return 0..<0 }
                if section == .thumbnail, range.count <= ClearSource.longestSection {
                    guard header.isThumbnail(try await payload.bytes(range)) else {
                        throw SectionProblem.otherThumbnail
                    }
                }
                return range
            } catch let problem as SectionProblem {
                throw CommandFailure(problem, in: name)
            }
        }
    }
}
