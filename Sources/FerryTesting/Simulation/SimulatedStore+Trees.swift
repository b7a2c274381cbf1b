import FerryCore

extension SimulatedStore {
    func discover(
        _ discoveries: [NodeDiscovery],
        in tree: String
    ) async throws(StoreError) -> DiscoverySummary {
        try await write("discover") { () throws(StoreError) in try await base.discover(discoveries, in: tree)
        }
    }

    func mark(
        _ components: NodeComponents,
        of id: NodeID,
        in tree: String
    ) async throws(StoreError) -> NodeMark {
        try await write("mark") { () throws(StoreError) in try await base.mark(components, of: id, in: tree) }
    }

    func unmark(
        _ components: NodeComponents,
        of id: NodeID,
        ifETagMatches etag: String?,
        in tree: String
    ) async throws(StoreError) -> NodeMark? {
        try await write("unmark") { () throws(StoreError) in
            try await base.unmark(components, of: id, ifETagMatches: etag, in: tree)
        }
    }

    func removeNodes(
        _ ids: [NodeID],
        in tree: String,
        upTo limit: Int,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> NodeRemoval {
        try await write("remove nodes") { () throws(StoreError) in
            try await base.removeNodes(ids, in: tree, upTo: limit, holder: holder, at: now)
        }
    }

    func add(
        _ downloads: [(node: NodeID, download: NodeDownload)],
        in tree: String,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [NeededOutcome] {
        try await write("add needed") { () throws(StoreError) in
            try await base.add(downloads, in: tree, holder: holder, at: now)
        }
    }

    func node(_ id: NodeID, in tree: String) async throws(StoreError) -> StoredNode? {
        try await read { () throws(StoreError) in try await base.node(id, in: tree) }
    }

    func nodes(_ numbers: [Int64]) async throws(StoreError) -> [StoredNode?] {
        try await read { () throws(StoreError) in try await base.nodes(numbers) }
    }

    func nodes(_ ids: [NodeID], in tree: String) async throws(StoreError) -> [StoredNode?] {
        try await read { () throws(StoreError) in try await base.nodes(ids, in: tree) }
    }

    func transfer(of id: NodeID, in tree: String) async throws(StoreError) -> TransferID? {
        try await read { () throws(StoreError) in try await base.transfer(of: id, in: tree) }
    }

    func page(
        of walk: NodeWalk,
        in tree: String,
        upTo limit: Int
    ) async throws(StoreError) -> (nodes: [WalkedNode], walk: NodeWalk) {
        try await read { () throws(StoreError) in try await base.page(of: walk, in: tree, upTo: limit) }
    }

    func page(
        of search: NeededSearch,
        upTo limit: Int
    ) async throws(StoreError) -> (entries: [NeededSearch.Entry], search: NeededSearch) {
        try await read { () throws(StoreError) in try await base.page(of: search, upTo: limit) }
    }
}
