/// A node with components that need downloading.
public struct NeededNode: Hashable, Sendable {
    /// The node.
    public let node: Node
    /// The components that need downloading.
    public let components: NodeComponents
    /// How far it is below the node that was asked for, which has 0, or below the top of the tree, whose nodes have 0.
    public let depth: Int

    package init(node: Node, components: NodeComponents, depth: Int) {
        (self.node, self.components, self.depth) = (node, components, depth)
    }
}

/// The number of nodes that ``TransferTree/downloadNeeded(under:_:)`` found, by what became of them.
public struct NeededSummary: Hashable, Sendable {
    /// Nodes with a new transfer, or with one that had failed and is queued again.
    public var added = 0
    /// Nodes that already have a transfer that is not over.
    public var present = 0
    /// Nodes that the application left out, or that needed nothing any more.
    public var skipped = 0

    /// Creates a summary of nothing.
    public init() {}
}
