/// A place in a file where the bytes of two sources meet.
package struct Junction: Hashable, Sendable {
    /// The offset of the first byte after it.
    package var offset: Int64
    /// The source that gave the bytes before it.
    package var before: SourceID
    /// The source that gave the bytes after it.
    package var after: SourceID
}

extension Junction: Comparable {
    /// In the order of their offsets, and then of their sources.
    package static func < (lhs: Junction, rhs: Junction) -> Bool {
        (lhs.offset, lhs.before, lhs.after) < (rhs.offset, rhs.before, rhs.after)
    }
}
