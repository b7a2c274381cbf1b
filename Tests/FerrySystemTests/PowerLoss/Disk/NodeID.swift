/// Identifies a file or a directory independently of its names, like an inode number.
struct NodeID: RawRepresentable, Hashable, Comparable, Sendable {
    var rawValue: Int

    static func < (lhs: NodeID, rhs: NodeID) -> Bool { lhs.rawValue < rhs.rawValue }
}
