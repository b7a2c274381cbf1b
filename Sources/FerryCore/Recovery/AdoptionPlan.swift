/// What is taken over of an unfinished file that no transfer knows.
///
/// Nothing proves which version its bytes belong to. So they count only after they were compared, or if a digest decides. Each run
/// is compared at both of its ends, as the bytes of a mirror are, and a long one at places within. So behind the first gap only
/// long runs are worth that.
package enum AdoptionPlan {
    /// Where the file comes from.
    package enum Source: Hashable, Sendable {
        /// A tool that writes in order, such as curl or wget. All bytes of the file before its first hole are there. One of a tool that
        /// does not write in order, whose control file is lost, has holes.
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

    /// The shortest run behind the first gap that counts without a digest, in bytes: the length of aria2's pieces.
    static let leastRun: Int64 = 1 << 20
    /// The maximum number of runs behind the first gap that count without a digest.
    static let mostRuns = 32

    /// The bytes to begin with. A file without any is taken over as well: nothing of it is lost when its place is taken.
    ///
    /// - Parameters:
    ///   - length: the length of the file, in bytes.
    ///   - firstHole: where the first bytes are that no one has written; `nil` if that is not known.
    ///   - isVerified: whether a digest of the whole, or of its pieces, will decide.
    package static func segments(
        of source: Source,
        length: Int64,
        firstHole: Int64? = nil,
        isVerified: Bool
    ) throws(Refusal) -> SegmentMap {
        switch source {
        case .part where length > 0 && !isVerified: throw .needsDigest
        case .inOrder where firstHole == 0: throw .noBytes
        case .part, .inOrder:
            let end = source == .inOrder ? min(firstHole ?? length, length) : length
            return end > 0 ? SegmentMap(having: [0..<end], length: nil) : SegmentMap(length: nil)
        case .aria2(let control):
            guard control.runs.last?.upperBound ?? 0 <= length else { throw .tooShort }
            guard let first = control.runs.first else { return SegmentMap(length: nil) }
            guard first.lowerBound == 0 else { throw .noBytes }
            guard !isVerified else { return SegmentMap(having: control.runs, length: control.length) }
            let others = comparable(control.runs.dropFirst())
            return others.isEmpty
                ? SegmentMap(having: [first], length: nil)
                : SegmentMap(having: [first] + others, length: control.length)
        }
    }

    /// The runs behind the first gap that are worth two comparisons each.
    private static func comparable(_ runs: ArraySlice<Range<Int64>>) -> [Range<Int64>] {
        func length(_ run: Range<Int64>) -> Int64 { run.upperBound - run.lowerBound }
        let longest = runs.filter { length($0) >= leastRun }.sorted { length($0) > length($1) }
        return longest.prefix(mostRuns).sorted { $0.lowerBound < $1.lowerBound }
    }
}
