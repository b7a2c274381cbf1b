/// A node that a walk visits.
public struct WalkedNode: Hashable, Sendable {
    /// The node.
    public let node: Node
    /// How far it is below the first nodes of the walk, which have 0.
    public let depth: Int
    /// What of it still needs downloading; `nil` if nothing does.
    public let mark: NodeMark?
}

/// How a walk continues after a node.
public enum WalkStep: Hashable, Sendable {
    /// With the children of the node.
    case descend
    /// With the next node that is not below it.
    case skipChildren
    /// Not at all.
    case stop
}
