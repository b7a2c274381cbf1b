/// The segments of one download, in order and without gaps, from byte 0 to its end.
///
/// A segment is identified by its lower bound. Dividing one keeps the identity of the first half, so a connection
/// that fills it is not disturbed.
package struct SegmentMap: Hashable, Sendable {
    /// The segments, ascending; each begins where the one before it ends.
    package private(set) var segments: [Segment]

    /// Creates a map of one segment. `length` is `nil` while it is unknown.
    package init(length: Int64?) {
        precondition(length.map { $0 >= 0 } ?? true, "a length is never negative")
        segments = [Segment(0..<(length ?? .max))]
    }

    /// Creates a map of given segments.
    ///
    /// - Returns: `nil` unless they are in order, without gaps, and begin at byte 0. Only a single segment may be
    ///   empty: two segments with one lower bound could not be distinguished.
    package init?(segments: [Segment]) {
        guard let first = segments.first, first.range.lowerBound == 0 else { return nil }
        guard segments.count == 1 || !segments.contains(where: \.range.isEmpty) else { return nil }
        for (segment, next) in zip(segments, segments.dropFirst())
        where segment.range.upperBound != next.range.lowerBound {
            return nil
        }
        // No file has a byte at that offset, so an unknown end cannot have been reached.
        guard segments[segments.count - 1].written < .max else { return nil }
        self.segments = segments
    }

    /// Creates a map of bytes that are there and durable.
    ///
    /// - Parameter runs: in order, within `length`, and not touching each other.
    package init(having runs: [Range<Int64>], length: Int64?) {
        var segments: [Segment] = []
        if runs.first?.lowerBound != 0 {
            segments.append(Segment(0..<(runs.first?.lowerBound ?? length ?? .max)))
        }
        for (index, run) in runs.enumerated() {
            let end = index + 1 < runs.count ? runs[index + 1].lowerBound : length ?? .max
            segments.append(
                Segment(range: run.lowerBound..<end, written: run.upperBound, durable: run.upperBound)
            )
        }
        self.segments = segments
    }

    /// The length of the resource, `nil` while it is unknown.
    package var length: Int64? {
        let end = segments[segments.count - 1].range.upperBound
        return end == .max ? nil : end
    }

    /// Number of bytes handed to the kernel, over all segments.
    package var received: Int64 {
        segments.reduce(0) { $0 + ($1.written - $1.range.lowerBound) }
    }

    /// Number of bytes that would survive power loss, over all segments.
    package var durableBytes: Int64 {
        segments.reduce(0) { $0 + ($1.durable - $1.range.lowerBound) }
    }

    /// Whether every byte has been handed to the kernel. Never true while the length is unknown.
    package var isComplete: Bool { segments.allSatisfy(\.isComplete) }

    /// Whether every byte has been confirmed by `fdatasync`.
    package var isDurable: Bool { segments.allSatisfy(\.isDurable) }

    /// Number of bytes received from byte 0 on without a gap.
    package var completePrefix: Int64 {
        for segment in segments where !segment.isComplete { return segment.written }
        return segments[segments.count - 1].range.upperBound
    }

    /// The offset up to which the part file must reach for every watermark to hold.
    package var claimedExtent: Int64 {
        segments.last { $0.written > $0.range.lowerBound }?.written ?? 0
    }

    /// The segment that begins at `lowerBound`.
    package subscript(lowerBound: Int64) -> Segment? {
        index(of: lowerBound).map { segments[$0] }
    }

    /// Records that the segment at `lowerBound` is written up to `offset`. A watermark never moves back here.
    package mutating func advance(_ lowerBound: Int64, writtenTo offset: Int64) {
        guard let index = index(of: lowerBound) else { return }
        let bounded = min(offset, segments[index].range.upperBound)
        segments[index].written = max(segments[index].written, bounded)
    }

    /// Records that everything written in `snapshot` was confirmed by `fdatasync`.
    ///
    /// `snapshot` is the map from before the sync began; segments may have been divided since.
    package mutating func confirm(durable snapshot: SegmentMap) {
        for index in segments.indices {
            let lower = segments[index].range.lowerBound
            guard let confirmed = snapshot.segments.last(where: { $0.range.lowerBound <= lower }),
                confirmed.written >= lower
            else { continue }
            let reach = min(confirmed.written, segments[index].written)
            segments[index].durable = max(segments[index].durable, reach)
        }
        // A complete and durable segment is never looked up again, whichever connection filled it.
        unite { last, next in
            guard last.isDurable, next.isDurable else { return nil }
            let range = last.range.lowerBound..<next.range.upperBound
            return Segment(range: range, written: range.upperBound, durable: range.upperBound)
        }
    }

    /// Moves every watermark back to the durable one: after power loss, or after a sync that failed.
    package mutating func rewindToDurable() {
        for index in segments.indices { segments[index].written = segments[index].durable }
    }

    /// Withdraws every claim that bytes are durable: their file would not be found after power loss.
    mutating func withdrawDurability() {
        for index in segments.indices { segments[index].durable = segments[index].range.lowerBound }
    }

    /// Withdraws every claim on bytes at or past `extent`: the part file is shorter than claimed.
    package mutating func truncateClaims(to extent: Int64) {
        for index in segments.indices {
            let bound = max(extent, segments[index].range.lowerBound)
            segments[index].written = min(segments[index].written, bound)
            segments[index].durable = min(segments[index].durable, bound)
        }
    }

    /// Withdraws every claim on bytes of chunks that are not whole, and on the last chunk, which may become longer.
    ///
    /// - Parameter length: the length of a chunk. Segments begin at chunks.
    mutating func truncateClaimsInside(chunksOf length: Int64) {
        func whole(_ offset: Int64, _ segment: Segment) -> Int64 {
            max(segment.range.lowerBound, offset / length * length)
        }
        for index in segments.indices {
            let segment = segments[index]
            let isLast = index == segments.count - 1
            // Of an unknown length, any byte may be the last.
            let end = segment.range.upperBound == .max ? segment.written : segment.range.upperBound
            let bound = isLast ? whole(max(0, end - 1), segment) : end
            segments[index].written = min(whole(segment.written, segment), bound)
            segments[index].durable = min(whole(segment.durable, segment), bound)
        }
    }

    /// Withdraws every claim on the bytes of a range, so that they are fetched again.
    ///
    /// No connection may be filling a segment that overlaps the range.
    package mutating func drop(_ range: Range<Int64>) {
        segments = segments.flatMap { segment in
            let gone = segment.range.clamped(to: range)
            guard !gone.isEmpty, segment.written > gone.lowerBound else { return [segment] }
            let parts = [
                segment.range.lowerBound..<gone.lowerBound, gone, gone.upperBound..<segment.range.upperBound,
            ]
            return parts.filter { !$0.isEmpty }.map { part in
                guard part != gone else { return Segment(part) }
                let written = min(max(segment.written, part.lowerBound), part.upperBound)
                let durable = min(max(segment.durable, part.lowerBound), part.upperBound)
                return Segment(range: part, written: written, durable: durable)
            }
        }
    }

    /// Sets the length once it becomes known.
    ///
    /// - Returns: `false`, changing nothing, when bytes past that length are already claimed or another length was
    ///   known.
    package mutating func fix(length: Int64) -> Bool {
        if let known = self.length { return known == length }
        let last = segments.count - 1
        guard segments[last].written <= length, segments[last].range.lowerBound <= length else {
            return false
        }
        if last > 0, segments[last].range.lowerBound == length {
            // The segment that was split off is after the end.
            segments.removeLast()
        } else {
            segments[last].range = segments[last].range.lowerBound..<length
        }
        return true
    }

    /// Divides the rest of the segment at `lowerBound` so that a second connection can take it from `offset` on.
    ///
    /// - Returns: the lower bound of the new segment, or `nil` when `offset` is not inside the rest, or either half
    ///   would be empty.
    package mutating func divide(_ lowerBound: Int64, at offset: Int64) -> Int64? {
        guard let index = index(of: lowerBound) else { return nil }
        let segment = segments[index]
        guard offset >= segment.written, offset > segment.range.lowerBound,
            offset < segment.range.upperBound
        else { return nil }
        segments[index].range = segment.range.lowerBound..<offset
        segments.insert(Segment(offset..<segment.range.upperBound), at: index + 1)
        return offset
    }

    /// Joins complete neighbours so that the map stays small. Segments at the given lower bounds stay, as a
    /// connection knows its segment by that bound.
    ///
    /// Durable bytes after a gap that is not durable stay separate until the gap is durable. If they were joined, they
    /// would count only as written, and a power cut would lose them.
    package mutating func join(except taken: Set<Int64>) {
        unite { last, next in
            guard last.isComplete, next.isComplete, !taken.contains(next.range.lowerBound) else { return nil }
            guard last.isDurable || next.durable == next.range.lowerBound else { return nil }
            return Segment(
                range: last.range.lowerBound..<next.range.upperBound,
                written: next.written,
                durable: last.isDurable ? next.durable : last.durable
            )
        }
    }

    /// Joins complete neighbours, and joins every empty segment with the one before it.
    ///
    /// No connection may be filling any of them.
    package mutating func fold() {
        join(except: [])
        unite { last, next in
            guard next.written == next.range.lowerBound else { return nil }
            return Segment(
                range: last.range.lowerBound..<next.range.upperBound,
                written: last.written,
                durable: last.durable
            )
        }
    }

    /// The segment that contains an offset.
    package func segment(containing offset: Int64) -> Segment? {
        segments.first { $0.range.contains(offset) }
    }

    /// Replaces two neighbours by one segment, from the front on, wherever `union` returns one for them.
    private mutating func unite(_ union: (Segment, Segment) -> Segment?) {
        var united: [Segment] = []
        for segment in segments {
            if let last = united.last, let both = union(last, segment) {
                united[united.count - 1] = both
            } else {
                united.append(segment)
            }
        }
        segments = united
    }

    private func index(of lowerBound: Int64) -> Int? {
        segments.firstIndex { $0.range.lowerBound == lowerBound }
    }
}
