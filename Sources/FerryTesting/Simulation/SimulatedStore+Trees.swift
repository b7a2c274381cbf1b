import FerryCore

extension SimulatedStore {
    private var trees: TreeChecker { world.checker.trees }

    func discover(
        _ discoveries: [NodeDiscovery],
        in tree: String
    ) async throws(StoreError) -> DiscoverySummary {
        try await write("discover") { () throws(StoreError) in
            let summary = try await base.discover(discoveries, in: tree)
            trees.discovered(discoveries)
            return summary
        }
    }

    func mark(
        _ components: NodeComponents,
        of id: NodeID,
        in tree: String
    ) async throws(StoreError) -> NodeMark {
        try await write("mark") { () throws(StoreError) in
            let mark = try await base.mark(components, of: id, in: tree)
            trees.marked(components, of: id)
            return mark
        }
    }

    func unmark(
        _ components: NodeComponents,
        of id: NodeID,
        ifETagMatches etag: String?,
        in tree: String
    ) async throws(StoreError) -> NodeMark? {
        try await write("unmark") { () throws(StoreError) in
            let mark = try await base.unmark(components, of: id, ifETagMatches: etag, in: tree)
            trees.unmarked(components, of: id, ifETagMatches: etag)
            return mark
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
            let removal = try await base.removeNodes(ids, in: tree, upTo: limit, holder: holder, at: now)
            trees.removed(ids)
            for id in removal.cancelled {
                checker.unwanted(id)
                let row = checker.look { $0.rows[id]?.transfer }
                if row?.state == .cancelled, let claim = row?.claim { checker.held(claim, by: process) }
            }
            return removal
        }
    }

    func add(
        _ downloads: [(node: NodeID, download: NodeDownload)],
        in tree: String,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [NeededOutcome] {
        try await write("add needed") { () throws(StoreError) in
            let former = checker.look { $0 }
            let outcomes = try await base.add(downloads, in: tree, holder: holder, at: now)
            let image = checker.look { $0 }
            for ((_, download), outcome) in zip(downloads, outcomes) {
                guard let id = outcome.transfer, let row = image.rows[id]?.transfer else { continue }
                let known = former.rows[id]?.transfer
                if known == row { continue }
                var new = download.transfer
                new.after = row.dependencies
                // One that has failed, maybe along with one that gave way in this call, begins in the order that the nodes
                // have now.
                let failedAlong = (known?.dependencies ?? []).contains { other in
                    image.rows[other]?.transfer.displacement != nil
                }
                if known?.state.name == .failed || failedAlong { checker.disordered(id) }
                checker.added(id, for: new, wasRunning: known?.state == .active)
                if case .added = outcome { trees.added(id, by: process) }
            }
            trees.asked(downloads, outcomes, formerly: former.trees.links, image)
            return outcomes
        }
    }

    func node(_ id: NodeID, in tree: String) async throws(StoreError) -> StoredNode? {
        try await read { () throws(StoreError) in try await base.node(id, in: tree) }
    }

    func nodes(_ numbers: [Int64], in tree: String) async throws(StoreError) -> [StoredNode?] {
        try await read { () throws(StoreError) in try await base.nodes(numbers, in: tree) }
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
