/// Where bytes of different sources meet, and what remains to be compared there, if no digest will prove the file.
///
/// It is derived from what is recorded: which bytes were received, which source gave them, and what was compared. So the
/// next process knows as much as this one, and what it does not know is compared again.
struct JunctionReview: Sendable {
    /// The received bytes: runs of one source each, in order.
    let runs: [Provenance.Span]
    /// The runs, and an empty run of the lead at each end of the file that the lead compares.
    private let sides: [Provenance.Span]
    private let mirroring: Mirroring
    private let sources: SourceList

    /// Reviews the received bytes of a download.
    init(_ download: Download) {
        mirroring = download.progress.mirroring
        sources = download.sourceList
        runs = Self.runs(of: download.progress.segments, mirroring)
        sides = Self.sides(of: runs, inFileOf: download.progress.segments.length, mirroring)
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
        return end(at: 0, beside: runs.first) + runs + (length.map { end(at: $0, beside: runs.last) } ?? [])
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
        zip(sides, sides.dropFirst()).compactMap { before, after in
            guard before.range.upperBound == after.range.lowerBound, let left = before.source,
                let right = after.source, !isExcluded(left), !isExcluded(right)
            else { return nil }
            let junction = Junction(offset: after.range.lowerBound, before: left, after: right)
            return mirroring.compared.contains(junction) ? nil : junction
        }
    }

    /// Whether a junction is an end of the file, where only the lead can compare.
    func isEnd(_ junction: Junction) -> Bool {
        sides.contains { $0.range.isEmpty && $0.range.lowerBound == junction.offset }
    }

    private func isExcluded(_ source: SourceID) -> Bool {
        source != mirroring.lead && mirroring.excluded[source] != nil
    }

    /// The bytes that no comparison can prove. They are fetched again.
    ///
    /// A source that was excluded has another file than the lead, so none of its bytes counts, even those that were equal
    /// where they meet others. If the version of a source is not known any more, its next bytes could be of another one.
    var doubtful: [Range<Int64>] {
        runs.filter { run in
            guard let source = run.source else { return true }
            let isForgotten = sources.contains(source) && mirroring.versions[source] == nil
            return source != mirroring.lead && (isExcluded(source) || isForgotten)
        }
        .map(\.range)
    }

    /// The bytes of other sources than the lead that meet others at these junctions.
    func ranges(at junctions: [Junction]) -> [Range<Int64>] {
        let offsets = Set(junctions.map(\.offset))
        return runs.filter { run in
            run.source != mirroring.lead
                && (offsets.contains(run.range.lowerBound) || offsets.contains(run.range.upperBound))
        }
        .map(\.range)
    }

    /// The possible comparisons of a junction, the longest first: one source gives again what the other gave there. One of
    /// them is enough.
    func comparisons(of junction: Junction) -> [Comparison] {
        let most = RangeRequest.overlapLength
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
