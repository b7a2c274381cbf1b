/// The transfer of a node, and what it unmarks when it completes.
package struct NodeLink: Hashable, Sendable {
    /// The number of the node.
    package let node: Int64
    /// The transfer.
    package var transfer: TransferID
    /// The components that the transfer downloads.
    package let components: NodeComponents
    /// The generation of the tree when the transfer was added. What was marked later stays marked.
    package let generation: Int64
    /// The ETag of the node at that time.
    package let etag: String?

    package init(
        node: Int64,
        transfer: TransferID,
        components: NodeComponents,
        generation: Int64,
        etag: String?
    ) {
        self.node = node
        self.transfer = transfer
        self.components = components
        self.generation = generation
        self.etag = etag
    }

    /// The components to unmark when the transfer has completed.
    ///
    /// - Parameters:
    ///   - fetched: the ETag that the transfer got, if the server gave one.
    ///   - current: the ETag that the node has now.
    package func unmarked(_ mark: NodeMark, fetched: String?, current: String?) -> NodeComponents {
        guard NodeMark.mayUnmark(ifETagMatches: fetched ?? etag, current: current) else { return [] }
        return mark.unmarked(since: generation, of: components)
    }
}
