/// A node in a store, with what belongs to it.
package struct StoredNode: Hashable, Sendable {
    /// Its number, unique among all trees of the store.
    package let number: Int64
    /// The number of its parent, or of the top of its tree (``StoredTree/top``).
    package let parent: Int64
    /// The node. Reads of many leave out the payload.
    package var node: Node
    /// Whether it has a payload.
    package var hasPayload: Bool
    /// Whether it has children.
    package var hasChildren: Bool
    /// Its mark.
    package var mark: NodeMark?

    package init(
        number: Int64,
        parent: Int64,
        node: Node,
        hasPayload: Bool,
        hasChildren: Bool = false,
        mark: NodeMark? = nil
    ) {
        self.number = number
        self.parent = parent
        self.node = node
        self.hasPayload = hasPayload
        self.hasChildren = hasChildren
        self.mark = mark
    }
}
