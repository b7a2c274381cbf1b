package import FerryCore

/// Trees.
extension SQLiteTransferStore {
    /// Adds, replaces and moves nodes, and marks them.
    package func discover(
        _ discoveries: [NodeDiscovery],
        in tree: String
    ) async throws(StoreError) -> DiscoverySummary {
        try await group.write(.power) { try $0.nodes.discover(discoveries, in: tree) }
    }

    /// Marks components of a node.
    package func mark(
        _ components: NodeComponents,
        of id: NodeID,
        in tree: String
    ) async throws(StoreError) -> NodeMark {
        try await group.write(.power) { try $0.nodes.mark(components, of: id, in: tree) }
    }

    /// Unmarks components of a node. If a power loss undoes it, they are downloaded once more.
    package func unmark(
        _ components: NodeComponents,
        of id: NodeID,
        ifETagMatches etag: String?,
        in tree: String
    ) async throws(StoreError) -> NodeMark? {
        try await group.write(.process) {
            try $0.nodes.unmark(components, of: id, ifETagMatches: etag, in: tree)
        }
    }

    /// Removes nodes and all that is below them, and cancels their transfers.
    package func removeNodes(
        _ ids: [NodeID],
        in tree: String,
        upTo limit: Int,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> NodeRemoval {
        try await group.write(.power) {
            try $0.removeNodes(ids, in: tree, upTo: limit, holder: holder, at: now)
        }
    }

    /// Adds the transfers of nodes, one for each.
    package func add(
        _ downloads: [(node: NodeID, download: NodeDownload)],
        in tree: String,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [NeededOutcome] {
        try await write(.power, at: now) { transaction in
            let outcomes = try transaction.addNeeded(downloads, in: tree) { transfers in
                guard case .done(let additions) = try transaction.add(transfers, holder: holder, at: now)
                else {
                    return nil
                }
                return additions
            }
            return outcomes.map { .done($0) } ?? .unfinished
        }
    }

    /// The node with an id, with its payload and its mark.
    package func node(_ id: NodeID, in tree: String) async throws(StoreError) -> StoredNode? {
        try await nodes([id], in: tree)[0]
    }

    /// Nodes by their numbers, with their payloads and their marks.
    package func nodes(_ numbers: [Int64], in tree: String) async throws(StoreError) -> [StoredNode?] {
        try await read { try $0.nodes.nodes(numbers, in: tree) }
    }

    /// Nodes by their ids, with their payloads and their marks.
    package func nodes(_ ids: [NodeID], in tree: String) async throws(StoreError) -> [StoredNode?] {
        try await read { try $0.nodes.nodes(ids, in: tree) }
    }

    /// The latest transfer of a node, unless it is over.
    package func transfer(of id: NodeID, in tree: String) async throws(StoreError) -> TransferID? {
        try await read { view in
            let nodes = view.nodes
            guard let tree = try nodes.tree(named: tree), let number = try nodes.number(of: id, in: tree)
            else { return nil }
            return try nodes.link(of: number)?.transfer
        }
    }

    /// Continues a walk.
    package func page(
        of walk: NodeWalk,
        in tree: String,
        upTo limit: Int
    ) async throws(StoreError) -> (nodes: [WalkedNode], walk: NodeWalk) {
        try await read { view in
            var walk = walk
            let nodes = try walk.page(of: tree, upTo: limit, view.nodes)
            return (nodes, walk)
        }
    }

    /// Continues a search.
    package func page(
        of search: NeededSearch,
        upTo limit: Int
    ) async throws(StoreError) -> (entries: [NeededSearch.Entry], search: NeededSearch) {
        try await read { view in
            var search = search
            let entries = try search.page(upTo: limit, view.nodes)
            return (entries, search)
        }
    }
}
