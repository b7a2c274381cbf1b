/// Stores trees: nodes and their marks. Each function is one transaction, as in ``TransferStore``.
///
/// A transfer can be added for a node (``add(_:in:at:)``). The commit that completes it also unmarks what it has downloaded. What
/// was marked after the transfer was added stays marked. So does all of a node with another ETag than the transfer got.
package protocol TreeStore: Sendable {
    /// Adds, replaces and moves nodes, and marks them. Returns after a commit that survives power loss. The tree is added
    /// if there is none of that name.
    ///
    /// - Throws: ``StoreError/refusedNode(_:_:)`` for a node that cannot be stored; nothing is changed then.
    func discover(
        _ discoveries: [NodeDiscovery],
        in tree: String
    ) async throws(StoreError) -> DiscoverySummary

    /// Marks components of a node. Returns after a commit that survives power loss.
    ///
    /// - Throws: ``StoreError/refusedNode(_:_:)`` for an unknown node.
    func mark(
        _ components: NodeComponents,
        of id: NodeID,
        in tree: String
    ) async throws(StoreError) -> NodeMark

    /// Unmarks components of a node. Changes nothing if an ETag is given and the node has another one now.
    ///
    /// - Returns: the mark that is left; `nil` when nothing is marked, and for an unknown node.
    func unmark(
        _ components: NodeComponents,
        of id: NodeID,
        ifETagMatches etag: String?,
        in tree: String
    ) async throws(StoreError) -> NodeMark?

    /// Removes nodes and all that is below them, the deepest first, and cancels their transfers. Unknown nodes are ignored.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of nodes at once, so that no other write waits long. If as many were removed, more
    ///     may remain.
    ///   - holder: the owner that holds cancelled transfers until their residues are removed.
    func removeNodes(
        _ ids: [NodeID],
        in tree: String,
        upTo limit: Int,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> NodeRemoval

    /// Adds the transfers of nodes, one for each, as ``TransferStore/add(_:besides:holder:at:)`` does when completed
    /// transfers do not count. Returns after a commit that survives power loss (I3). A node whose transfer is not over
    /// gets no other one.
    ///
    /// - Parameter holder: the owner that holds new transfers until it runs them; `nil` leaves them to any.
    /// - Returns: what became of each, in order.
    /// - Throws: as ``TransferStore/add(_:besides:holder:at:)``.
    func add(
        _ downloads: [(node: NodeID, download: NodeDownload)],
        in tree: String,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [NeededOutcome]

    /// Returns a node with its payload and its mark; `nil` for an unknown node.
    func node(_ id: NodeID, in tree: String) async throws(StoreError) -> StoredNode?

    /// Returns the nodes of a tree with some numbers, with their payloads and their marks, in the order given; `nil` for unknown
    /// ones.
    func nodes(_ numbers: [Int64], in tree: String) async throws(StoreError) -> [StoredNode?]

    /// Returns the nodes with some ids, with their payloads and their marks, in the order given; `nil` for unknown ones.
    func nodes(_ ids: [NodeID], in tree: String) async throws(StoreError) -> [StoredNode?]

    /// Returns the latest transfer of a node, unless it is over.
    func transfer(of id: NodeID, in tree: String) async throws(StoreError) -> TransferID?

    /// Continues a walk.
    func page(
        of walk: NodeWalk,
        in tree: String,
        upTo limit: Int
    ) async throws(StoreError) -> (nodes: [WalkedNode], walk: NodeWalk)

    /// Continues a search.
    func page(
        of search: NeededSearch,
        upTo limit: Int
    ) async throws(StoreError) -> (entries: [NeededSearch.Entry], search: NeededSearch)
}

extension TreeStore {
    /// Adds the transfers of nodes for any owner.
    package func add(
        _ downloads: [(node: NodeID, download: NodeDownload)],
        in tree: String,
        at now: Instant
    ) async throws(StoreError) -> [NeededOutcome] {
        try await add(downloads, in: tree, holder: nil, at: now)
    }

    /// Returns the next marked nodes in the order of their downloads; none when nothing is left.
    ///
    /// - Parameter length: the maximum number of marks that one read looks at.
    /// - Throws: ``StoreError/refusedNode(_:_:)`` when the node that the order is under is not in the tree.
    package func next(
        in order: inout NeededOrder,
        pageLength length: Int
    ) async throws(StoreError) -> [NeededSearch.Entry] {
        var search = order.search
        while !search.isDone {
            let page = try await page(of: search, upTo: length)
            order.add(page.entries)
            search = page.search
        }
        return order.endRound()
    }
}
