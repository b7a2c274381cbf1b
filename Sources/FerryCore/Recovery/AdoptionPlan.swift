/// What is taken over of an unfinished file that no transfer knows.
///
/// Nothing proves of which version its bytes are, so they count only after an overlap was compared or if a digest decides. A
/// comparison says something about the bytes before the first gap only. So all others count only if a digest is known.
package enum AdoptionPlan {
    /// Where the file comes from.
    package enum Source: Hashable, Sendable {
        /// A tool that writes in order, such as curl or wget. All bytes of the file are there.
        case inOrder
        /// aria2, with its control file.
        case aria2(Aria2ControlFile)
        /// A part file, which may have gaps at unknown places.
        case part
    }

    /// Why a file is not taken over.
    package enum Refusal: Error, Hashable, Sendable {
        /// Only a digest can tell which of its bytes are right.
        case needsDigest
        /// It has bytes, but none from the start.
        case noBytes
        /// It is shorter than its control file says.
        case tooShort
    }

    /// The bytes to begin with. A file without any is taken over as well: nothing of it is lost when its place is taken.
    ///
    /// - Parameters:
    ///   - length: the length of the file, in bytes.
    ///   - isVerified: whether a digest of the whole, or of its pieces, will decide.
    package static func segments(
        of source: Source,
        length: Int64,
        isVerified: Bool
    ) throws(Refusal) -> SegmentMap {
        switch source {
        case .part where length > 0 && !isVerified: throw .needsDigest
        case .part, .inOrder:
            return length > 0 ? SegmentMap(having: [0..<length], length: nil) : SegmentMap(length: nil)
        case .aria2(let control):
            guard control.runs.last?.upperBound ?? 0 <= length else { throw .tooShort }
            guard let first = control.runs.first else { return SegmentMap(length: nil) }
            guard first.lowerBound == 0 else { throw .noBytes }
            return isVerified
                ? SegmentMap(having: control.runs, length: control.length)
                : SegmentMap(having: [first], length: nil)
        }
    }
}
