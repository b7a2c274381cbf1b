/// Which source gave which bytes, so that Ferry can name the source of wrong bytes.
package struct Provenance: Hashable, Sendable {
    /// Adjacent bytes from one source.
    package struct Span: Hashable, Sendable {
        /// The bytes.
        package var range: Range<Int64>
        /// The source that gave them; `nil` if it is no longer known.
        package var source: SourceID?
    }

    /// Maximum number of spans. Beyond it, neighbours are merged and their source is forgotten.
    package static let mostSpans = 512

    /// The spans, in order and without overlaps.
    package private(set) var spans: [Span] = []

    /// Creates an empty provenance.
    package init() {}

    /// Records that a source gave the bytes of a range, in place of any earlier source.
    package mutating func note(_ range: Range<Int64>, from source: SourceID?) {
        guard !range.isEmpty else { return }
        forget(range)
        let place = spans.firstIndex { $0.range.lowerBound >= range.upperBound } ?? spans.endIndex
        spans.insert(Span(range: range, source: source), at: place)
        join(around: place)
        if spans.count > Self.mostSpans { coarsen() }
    }

    /// Records that the bytes of a range were dropped.
    package mutating func forget(_ range: Range<Int64>) {
        guard let last = spans.last, last.range.upperBound > range.lowerBound else { return }
        spans = spans.flatMap { span in
            guard span.range.overlaps(range) else { return [span] }
            let parts = [
                span.range.lowerBound..<max(span.range.lowerBound, range.lowerBound),
                min(span.range.upperBound, range.upperBound)..<span.range.upperBound,
            ]
            return parts.filter { !$0.isEmpty }.map { Span(range: $0, source: span.source) }
        }
    }

    /// Returns the sources of the bytes of a range; `nil` is among them if a source is unknown.
    package func sources(of range: Range<Int64>) -> Set<SourceID?> {
        Set(spans.lazy.filter { $0.range.overlaps(range) }.map(\.source))
    }

    /// Joins a span with its neighbours from the same source.
    private mutating func join(around place: Int) {
        for index in [place + 1, place] where index > 0 && index < spans.count {
            let (before, after) = (spans[index - 1], spans[index])
            guard before.source == after.source, before.range.upperBound == after.range.lowerBound else {
                continue
            }
            spans[index - 1].range = before.range.lowerBound..<after.range.upperBound
            spans.remove(at: index)
        }
    }

    /// Merges the two neighbours with the fewest bytes into one span of unknown source.
    private mutating func coarsen() {
        let pairs = spans.indices.dropLast()
        guard let least = pairs.min(by: { extent($0) < extent($1) }) else { return }
        spans[least].range = spans[least].range.lowerBound..<spans[least + 1].range.upperBound
        spans[least].source = nil
        spans.remove(at: least + 1)
        join(around: least)
    }

    private func extent(_ index: Int) -> Int64 {
        spans[index + 1].range.upperBound - spans[index].range.lowerBound
    }
}

extension Provenance {
    /// The spans as numbers: the bounds of each, and its source if known.
    func rows(_ number: (SourceID) -> Int64) -> [[Int64]] {
        spans.map { span in
            [span.range.lowerBound, span.range.upperBound] + (span.source.map { [number($0)] } ?? [])
        }
    }

    /// Reads spans from numbers; `nil` when they are out of order.
    init?(rows: [[Int64]], source: (Int64) -> SourceID) {
        for row in rows {
            guard row.count == 2 || row.count == 3, row[0] >= spans.last?.range.upperBound ?? 0,
                row[0] < row[1]
            else { return nil }
            spans.append(Span(range: row[0]..<row[1], source: row.count == 3 ? source(row[2]) : nil))
        }
    }

    /// Returns the same spans with one source renamed.
    func renaming(_ former: SourceID, to name: SourceID) -> Provenance {
        var renamed = Provenance()
        for span in spans { renamed.note(span.range, from: span.source == former ? name : span.source) }
        return renamed
    }
}
