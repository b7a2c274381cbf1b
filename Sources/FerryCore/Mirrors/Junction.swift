/// A place in a file where the bytes of two sources meet.
///
/// The beginning and the end of a file are such places, too, if a mirror gave the bytes there: the lead is then the source
/// on the other side, although no byte is there.
package struct Junction: Hashable, Sendable {
    /// The offset of the first byte after it.
    package var offset: Int64
    /// The source that gave the bytes before it.
    package var before: SourceID
    /// The source that gave the bytes after it.
    package var after: SourceID

    /// Creates a place.
    package init(offset: Int64, before: SourceID, after: SourceID) {
        (self.offset, self.before, self.after) = (offset, before, after)
    }
}

extension Junction: Comparable {
    /// In the order of their offsets, and then of their sources.
    package static func < (lhs: Junction, rhs: Junction) -> Bool {
        (lhs.offset, lhs.before, lhs.after) < (rhs.offset, rhs.before, rhs.after)
    }
}
