/// Where bytes of different sources meet, and what remains to be compared there, if no digest will prove the file.
///
/// It is derived from what is recorded: which bytes were received, which source gave them, and what was compared. So the
/// next process knows as much as this one, and what it does not know is compared again.
struct JunctionReview: Sendable {
    /// The received bytes: runs of one source each, in order.
    let runs: [Provenance.Span]
    /// The runs, and an empty run of the lead at each end of the file that the lead compares.
    private let sides: [Provenance.Span]
    /// Places within the bytes of another tool, far from their ends. The lead compares these, too: the other tool may have
    /// resumed after the file had changed on the server.
    private let samples: [Junction]
    private let mirroring: Mirroring
    private let sources: SourceList
    /// Whether a strong validator shows that all bytes of the lead are of one version.
    private let isLeadPinned: Bool

    /// The maximum number of samples in all bytes of another tool.
    static let mostSamples: Int64 = 8
    /// The least distance between two samples, in bytes.
    static let leastDistance: Int64 = 1 << 20

    /// Reviews the received bytes of a download.
    init(_ download: Download) {
        mirroring = download.progress.mirroring
        sources = download.sourceList
        isLeadPinned = download.progress.validator.pinsParts
        runs = Self.runs(of: download.progress.segments, mirroring)
        sides = Self.sides(of: runs, inFileOf: download.progress.segments.length, mirroring)
        samples = Self.samples(of: runs)
    }

    /// Spreads the samples evenly over the bytes of another tool.
    private static func samples(of runs: [Provenance.Span]) -> [Junction] {
        let ranges = runs.filter { $0.source == .otherTool }.map(\.range)
        let total = ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        let distance = max(leastDistance, total / (mostSamples + 1))
        return ranges.flatMap { range -> [Junction] in
            let length = range.upperBound - range.lowerBound
            let parts = max(1, length / distance)
            return (1..<parts).map { part in
                let offset = range.lowerBound + length / parts * part
                return Junction(offset: offset, before: .otherTool, after: .otherTool)
            }
        }
    }

    /// Two versions of a file may differ only at an end, where a mirror that gave the bytes meets no other source. So the lead
    /// compares them. It does not for a mirror that gave bytes only after the lead had failed: the lead could not be asked then.
    private static func sides(
        of runs: [Provenance.Span],
        inFileOf length: Int64?,
        _ mirroring: Mirroring
    ) -> [Provenance.Span] {
        func end(at offset: Int64, beside run: Provenance.Span?) -> [Provenance.Span] {
            guard let source = run?.source, source != mirroring.lead, mirroring.sharing.contains(source)
            else { return [] }
            return [Provenance.Span(range: offset..<offset, source: mirroring.lead)]
        }
        // A comparison at the end of a short run is one of all its bytes.
        let isBeginCompared =
            runs.first.map { $0.source == .otherTool && $0.range.upperBound <= RangeRequest.overlapLength }
            ?? false
        let begin = isBeginCompared ? [] : end(at: 0, beside: runs.first)
        return begin + runs + (length.map { end(at: $0, beside: runs.last) } ?? [])
    }

    private static func runs(of segments: SegmentMap, _ mirroring: Mirroring) -> [Provenance.Span] {
        var runs: [Provenance.Span] = []
        let received = segments.segments.map { $0.range.lowerBound..<$0.written }
        for span in received.flatMap({ mirroring.spans(of: $0) }) {
            if let last = runs.last, last.source == span.source,
                last.range.upperBound == span.range.lowerBound
            {
                runs[runs.count - 1].range = last.range.lowerBound..<span.range.upperBound
            } else {
                runs.append(span)
            }
        }
        return runs
    }

    /// The junctions at which nothing was compared yet, except those of bytes that are fetched again anyway.
    var open: [Junction] {
        let meetings: [Junction] = zip(sides, sides.dropFirst()).compactMap { before, after in
            guard before.range.upperBound == after.range.lowerBound, let left = before.source,
                let right = after.source
            else { return nil }
            return Junction(offset: after.range.lowerBound, before: left, after: right)
        }
        return (samples + meetings).filter { junction in
            !isExcluded(junction.before) && !isExcluded(junction.after)
                && !mirroring.compared.contains(junction)
        }
    }

    /// Whether only the lead can compare at a junction: at an end of the file, and within the bytes of another tool.
    func isOfLead(_ junction: Junction) -> Bool {
        junction.before == junction.after
            || sides.contains { $0.range.isEmpty && $0.range.lowerBound == junction.offset }
    }

    private func isExcluded(_ source: SourceID) -> Bool {
        source != mirroring.lead && mirroring.excluded[source] != nil
    }

    /// The bytes that no comparison can prove. They are fetched again.
    ///
    /// A source that was excluded has another file than the lead, so none of its bytes counts, even those that were equal
    /// where they meet others. If the version of a source is not known any more, its next bytes could be of another one.
    var doubtful: [Range<Int64>] {
        dropped(
            runs.filter { run in
                guard let source = run.source else { return true }
                let isForgotten = sources.contains(source) && mirroring.versions[source] == nil
                return source != mirroring.lead && (isExcluded(source) || isForgotten)
            }
        )
    }

    /// The bytes to drop with these runs.
    ///
    /// Bytes that are fetched in place of another tool's meet those that the lead gave before. Without a strong validator
    /// nothing shows that both are of one version, so all bytes are dropped.
    private func dropped(_ doubted: [Provenance.Span]) -> [Range<Int64>] {
        let isAll = !isLeadPinned && doubted.contains { $0.source == .otherTool }
        return (isAll ? runs : doubted).map(\.range)
    }

    /// The bytes of other sources than the lead that meet others at these junctions.
    func ranges(at junctions: [Junction]) -> [Range<Int64>] {
        let offsets = Set(junctions.map(\.offset))
        return dropped(
            runs.filter { run in
                run.source != mirroring.lead
                    && offsets.contains { (run.range.lowerBound...run.range.upperBound).contains($0) }
            }
        )
    }

    /// The possible comparisons of a junction, the longest first: one source gives again what the other gave there. One of
    /// them is enough.
    func comparisons(of junction: Junction) -> [Comparison] {
        let most = RangeRequest.overlapLength
        guard junction.before != junction.after else {
            let window = junction.offset..<junction.offset + most
            return [Comparison(junction: junction, source: mirroring.lead, window: window)]
        }
        let (before, after) = (
            sides.last { $0.range.upperBound == junction.offset && $0.source == junction.before },
            sides.first { $0.range.lowerBound == junction.offset && $0.source == junction.after }
        )
        guard let before, let after else { return [] }
        let left = max(before.range.lowerBound, junction.offset - most)..<junction.offset
        let right = junction.offset..<min(after.range.upperBound, junction.offset + most)
        let both = [
            Comparison(junction: junction, source: junction.after, window: left),
            Comparison(junction: junction, source: junction.before, window: right),
        ]
        let possible = both.filter { !$0.window.isEmpty }
        return left.count >= right.count ? possible : possible.reversed()
    }
}

/// Received bytes on one side of a junction that the source of the other side gives again, to be compared.
struct Comparison: Hashable, Sendable {
    /// The junction that it proves.
    var junction: Junction
    /// The source to ask.
    var source: SourceID
    /// The bytes to compare; they are all on disk.
    var window: Range<Int64>

    /// Whether it is as long as an overlap can be.
    var isFull: Bool { window.upperBound - window.lowerBound >= RangeRequest.overlapLength }
}
