/// A file or a directory, whatever its names are: what an inode is.
struct NodeID: RawRepresentable, Hashable, Comparable, Sendable {
    var rawValue: Int

    static func < (lhs: NodeID, rhs: NodeID) -> Bool { lhs.rawValue < rhs.rawValue }
}
