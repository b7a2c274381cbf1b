/// A node as its source has it now, and what to mark in the same transaction.
public struct NodeDiscovery: Hashable, Sendable {
    /// The node. It replaces what was known under its id; with another parent or name it is moved or renamed.
    public var node: Node
    /// The components to mark in any case.
    public var marking: NodeComponents
    /// The components to mark if the node is new, or has another version than before: another ETag, or, where one of the two
    /// has no ETag, another size or time.
    public var markingIfChanged: NodeComponents

    /// Creates a discovery.
    public init(_ node: Node, marking: NodeComponents = [], markingIfChanged: NodeComponents = []) {
        self.node = node
        self.marking = marking
        self.markingIfChanged = markingIfChanged
    }
}

/// The number of nodes that a discovery found, by what was known of them.
public struct DiscoverySummary: Hashable, Sendable {
    /// Nodes that were not in the tree.
    public var new = 0
    /// Nodes with another version than before.
    public var changed = 0
    /// Nodes with the same version, which were moved or renamed.
    public var moved = 0
    /// Nodes with the same version in the same place.
    public var unchanged = 0

    /// Creates a summary of nothing.
    public init() {}
}
