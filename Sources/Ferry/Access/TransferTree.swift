public import FerryCore

/// A named set of nodes whose content has to be downloaded, kept in the store.
///
/// The application discovers nodes, such as the folders and files of a server, and marks the components of them that need
/// downloading. ``downloadNeeded(under:_:)`` adds the transfers. The commit that completes a transfer also removes the marks
/// of what it has downloaded, so that no crash downloads anything twice or forgets it.
///
/// ```swift
/// let tree = engine.tree(named: "photos")
/// try await tree.discover([
///     NodeDiscovery(Node("album", name: "Summer")),
///     NodeDiscovery(
///         Node("photo", parent: "album", name: "sea.jpg", etag: "\"v1\"", source: url),
///         markingIfChanged: .all
///     ),
/// ])
/// try await tree.downloadNeeded { needed in
///     needed.node.source.map { url in
///         NodeDownload(
///             DownloadSpecification(url: url, destination: .file(directory: "/srv/photos", name: nil))
///         )
///     }
/// }
/// ```
public struct TransferTree: Sendable {
    /// Its name, at most 255 bytes of UTF-8.
    public let name: String
    let client: TransferClient

    fileprivate init(_ name: String, _ client: TransferClient) {
        (self.name, self.client) = (name, client)
    }

    /// The maximum number of nodes that one read or write of the store takes.
    static let pageLength = 1_000
    /// The maximum number of marks that one read of the store looks at.
    private static let searchLength = 5_000

    // MARK: Nodes

    /// Adds nodes, replaces those that are known, and marks them, in one commit that survives power loss.
    ///
    /// A node with another parent or name than before is moved or renamed: its marks and its transfer stay. For many nodes,
    /// call it with some thousands at a time.
    ///
    /// - Returns: how many of them are new or have changed.
    /// - Throws: ``StoreError/refusedNode(_:_:)`` for a node that is too large or whose parent is unknown, and when the name
    ///   of the tree is empty or too long; nothing is changed then.
    @discardableResult
    public func discover(_ discoveries: [NodeDiscovery]) async throws(StoreError) -> DiscoverySummary {
        guard (1...NodeFlaw.longestTreeName).contains(name.utf8.count) else {
            throw .refusedNode(discoveries.first?.node.id ?? "", .tree)
        }
        return try await client.store.discover(discoveries, in: name)
    }

    /// The node with an id; `nil` if the tree has none.
    public func node(_ id: NodeID) async throws(StoreError) -> Node? {
        try await client.store.node(id, in: name)?.node
    }

    /// Removes nodes and all that is below them, with their marks. Their unfinished transfers are cancelled, and their part
    /// files removed. Finished files stay, except for those that are in a pool for these nodes only
    /// (``CachePool/download(of:key:options:components:queue:priority:isAfterParent:)``). Unknown nodes are ignored.
    ///
    /// Many nodes are removed in several commits, the deepest first. After a crash, repeat the call.
    ///
    /// - Returns: the number of nodes that were removed.
    /// - Throws: ``StoreError``; ``TransferFailure`` when a part file could not be removed. All else is done then.
    @discardableResult
    public func remove(_ ids: [NodeID]) async throws -> Int {
        let steering = try await client.steering()
        let owner = try await client.ownership.join()
        var count = 0
        var problem: StorageProblem?
        while true {
            let removal = try await client.store.removeNodes(
                ids,
                in: name,
                upTo: Self.pageLength,
                holder: owner,
                at: client.now
            )
            for id in removal.cancelled {
                do {
                    try await steering.finishCancelling(id)
                } catch let failure as StorageProblem {
                    // The other transfers are ended first.
                    problem = problem ?? failure
                }
            }
            count += removal.count
            if removal.count < Self.pageLength { break }
        }
        try await client.poolFiles.deleteLeaving()
        if let problem { throw problem.problem.failure }
        return count
    }

    // MARK: Marks

    /// Marks components of a node, beside those that are marked. The commit survives power loss.
    ///
    /// If the node is being downloaded, that transfer is taken to have begun too early: what is marked now stays marked when
    /// it completes.
    ///
    /// - Returns: the mark of the node after that.
    /// - Throws: ``StoreError/refusedNode(_:_:)`` when the tree has no such node.
    @discardableResult
    public func mark(_ id: NodeID, _ components: NodeComponents) async throws(StoreError) -> NodeMark {
        try await client.store.mark(components, of: id, in: name)
    }

    /// Unmarks components of a node. The others stay marked. An unknown node is ignored.
    ///
    /// - Parameter etag: the ETag of what was downloaded. If the node has another one now, byte by byte, nothing changes: a
    ///   newer version was discovered in the meantime. With `nil`, and if the ETag of the node is unknown, the components
    ///   are unmarked.
    /// - Returns: the mark of the node after that; `nil` when nothing is marked.
    @discardableResult
    public func unmark(
        _ id: NodeID,
        _ components: NodeComponents,
        ifETagMatches etag: String? = nil
    ) async throws(StoreError) -> NodeMark? {
        try await client.store.unmark(components, of: id, ifETagMatches: etag, in: name)
    }

    /// Whether any of the components of a node is marked.
    public func isMarked(
        _ id: NodeID,
        _ components: NodeComponents = .all
    ) async throws(StoreError) -> Bool {
        try await mark(of: id).map { !$0.components.isDisjoint(with: components) } ?? false
    }

    /// The mark of a node; `nil` when nothing is marked, and for an unknown node.
    public func mark(of id: NodeID) async throws(StoreError) -> NodeMark? {
        try await client.store.node(id, in: name)?.mark
    }

    // MARK: Walking

    /// Visits nodes: each before those below it, and the children of a node by the bytes of their names.
    ///
    /// It reads page by page, so the tree may be of any size and depth, and may change meanwhile: what was passed is not
    /// visited again, and what comes later is visited where it is then. A node that is below itself is visited once.
    ///
    /// - Parameters:
    ///   - id: the first node; `nil` for all nodes of the tree. Nodes in a circle are only found from one of them.
    ///   - visit: says how to continue after a node.
    /// - Throws: ``StoreError/refusedNode(_:_:)`` when the tree has no such node, and what `visit` throws.
    public func walk(
        under id: NodeID? = nil,
        _ visit: (WalkedNode) async throws -> WalkStep
    ) async throws {
        var walk = NodeWalk(from: id)
        while !walk.isDone {
            let page = try await client.store.page(of: walk, in: name, upTo: Self.pageLength)
            walk = page.walk
            // The depth of the latest node whose children are skipped.
            var skipped: Int?
            for node in page.nodes {
                if let depth = skipped, node.depth > depth { continue }
                skipped = nil
                switch try await visit(node) {
                case .descend: break
                case .skipChildren: skipped = node.depth
                case .stop: return
                }
            }
            if let skipped { walk.skipChildren(atDepth: skipped) }
        }
    }

    // MARK: Downloading

    /// Adds transfers for what is marked and has none, one for each node. Any process that runs the queue runs them. They
    /// are durable when this returns (I3).
    ///
    /// Call it at the start, when the network or the application is back, and after marking: what is being downloaded
    /// is not added again, by any caller. A node whose transfer has failed gets it again. Shallow nodes are added before
    /// deep ones, and then the newest first; priorities change that (``NodeDownload``).
    ///
    /// It takes up to 200,000 marked nodes at a time, and keeps about a bit for each that it has taken. So there may be millions
    /// of them, and the tree may change meanwhile: each is taken once, and what moves or changes before that is not missed.
    /// What is marked meanwhile may be left for the next call.
    ///
    /// With ``DownloadOptions/updates``, a file that an earlier transfer saved is fetched again only if the server has another
    /// version of it.
    ///
    /// - Parameters:
    ///   - id: only this node and what is below it; `nil` for the whole tree.
    ///   - download: says how the marked components of a node are downloaded; `nil` leaves them out this time.
    /// - Returns: how many transfers were added.
    /// - Throws: ``StoreError/refusedNode(_:_:)`` when the tree has no such node, ``StoreError`` as
    ///   ``TransferAccess/add(_:)``, and what `download` throws. What was added before stays.
    @discardableResult
    public func downloadNeeded(
        under id: NodeID? = nil,
        _ download: (NeededNode) async throws -> NodeDownload?
    ) async throws -> NeededSummary {
        try await client.rescueTheDead()
        var order = NeededOrder(in: name, under: id)
        var summary = NeededSummary()
        while !order.isDone {
            let entries = try await client.store.next(in: &order, pageLength: Self.searchLength)
            for first in stride(from: 0, to: entries.count, by: Self.pageLength) {
                let page = entries[first..<min(first + Self.pageLength, entries.count)]
                try await add(page, to: &summary, download)
            }
        }
        return summary
    }

    /// Adds the transfers of some marked nodes, and counts them.
    private func add(
        _ page: ArraySlice<NeededSearch.Entry>,
        to summary: inout NeededSummary,
        _ download: (NeededNode) async throws -> NodeDownload?
    ) async throws {
        let nodes = try await client.store.nodes(page.map(\.number), in: name)
        var downloads: [(node: NodeID, download: NodeDownload)] = []
        for (entry, stored) in zip(page, nodes) {
            guard let stored, let mark = stored.mark else { continue }
            let needed = NeededNode(node: stored.node, components: mark.components, depth: Int(entry.depth))
            if let download = try await download(needed) { downloads.append((stored.node.id, download)) }
        }
        summary.skipped += page.count - downloads.count
        guard !downloads.isEmpty else { return }
        for outcome in try await add(downloads) {
            switch outcome {
            case .added: summary.added += 1
            case .present: summary.present += 1
            case .notNeeded: summary.skipped += 1
            }
        }
    }

    /// The unfinished or failed transfer of a node; `nil` if it has none.
    public func transfer(of id: NodeID) async throws(StoreError) -> TransferHandle? {
        try await client.store.transfer(of: id, in: name).map { client.transfer($0) }
    }
}

extension TransferAccess {
    /// The tree with this name. It is kept in the store from the first ``TransferTree/discover(_:)`` on.
    public func tree(named name: String) -> TransferTree { TransferTree(name, client) }
}
