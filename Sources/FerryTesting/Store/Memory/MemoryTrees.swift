package import FerryCore

/// The trees of a memory store.
struct MemoryTrees: Sendable {
    private struct Key: Hashable {
        let tree: Int64
        let id: NodeID
    }

    private(set) var trees: [String: StoredTree] = [:]
    private var numbers: [Key: Int64] = [:]
    private var rows: [Int64: (tree: String, stored: StoredNode)] = [:]
    private var below: [Int64: Set<Int64>] = [:]
    private(set) var marks: [Int64: NodeMark] = [:]
    private(set) var links: [Int64: NodeLink] = [:]
    private var latest: Int64 = 0

    /// The tree of a node, and its ETag.
    func version(of number: Int64) -> (tree: StoredTree, etag: String?)? {
        guard let row = rows[number], let tree = trees[row.tree] else { return nil }
        return (tree, row.stored.node.etag)
    }

    mutating func put(_ tree: StoredTree, named name: String) { trees[name] = tree }

    mutating func put(_ tree: StoredTree) {
        for (name, known) in trees where known.number == tree.number { trees[name] = tree }
    }

    mutating func insert(_ node: Node, below parent: Int64, in tree: StoredTree) -> Int64 {
        latest += 1
        let name = trees.first { $0.value.number == tree.number }?.key ?? ""
        numbers[Key(tree: tree.number, id: node.id)] = latest
        place(StoredNode(number: latest, parent: parent, node: node, hasPayload: false), in: name)
        return latest
    }

    mutating func update(_ number: Int64, to node: Node, below parent: Int64) {
        guard let row = rows[number] else { return }
        below[row.stored.parent]?.remove(number)
        place(StoredNode(number: number, parent: parent, node: node, hasPayload: false), in: row.tree)
    }

    private mutating func place(_ stored: StoredNode, in tree: String) {
        var stored = stored
        stored.hasPayload = !stored.node.payload.isEmpty
        rows[stored.number] = (tree, stored)
        below[stored.parent, default: []].insert(stored.number)
    }

    mutating func delete(_ number: Int64) {
        guard let row = rows.removeValue(forKey: number), let tree = trees[row.tree] else { return }
        numbers[Key(tree: tree.number, id: row.stored.node.id)] = nil
        below[row.stored.parent]?.remove(number)
        marks[number] = nil
    }

    mutating func put(_ mark: NodeMark, of number: Int64) {
        marks[number] = mark.components.isEmpty ? nil : mark
    }

    mutating func put(_ link: NodeLink) { links[link.node] = link }

    mutating func deleteLink(of number: Int64) { links[number] = nil }

    mutating func deleteLinks(of transfer: TransferID) {
        links = links.filter { $0.value.transfer != transfer }
    }
}

extension MemoryTrees: NodeReading {
    func tree(named name: String) -> StoredTree? { trees[name] }

    func number(of id: NodeID, in tree: StoredTree) -> Int64? { numbers[Key(tree: tree.number, id: id)] }

    func node(_ number: Int64) -> StoredNode? {
        guard var stored = rows[number]?.stored else { return nil }
        stored.node.payload = []
        stored.hasChildren = below[number]?.isEmpty == false
        stored.mark = marks[number]
        return stored
    }

    func children(of parent: Int64, after place: NodePlace?, upTo limit: Int) -> [StoredNode] {
        let all = (below[parent] ?? []).compactMap { node($0) }.filter { child in
            place.map { $0.isBefore(NodePlace(child)) } ?? true
        }
        return Array(all.sorted { NodePlace($0).isBefore(NodePlace($1)) }.prefix(limit))
    }

    func payload(of number: Int64) -> [UInt8] { rows[number]?.stored.node.payload ?? [] }

    func parent(of number: Int64) -> Int64? { rows[number]?.stored.parent }

    func marked(
        in tree: StoredTree,
        after number: Int64,
        upTo limit: Int
    ) -> [(number: Int64, modified: Instant?)] {
        let own = marks.keys.filter { $0 > number && trees[rows[$0]?.tree ?? ""]?.number == tree.number }
        return own.sorted().prefix(limit).map { ($0, rows[$0]?.stored.node.modified) }
    }
}

extension MemoryTransferStore {
    /// Adds, replaces and moves nodes, and marks them.
    package func discover(
        _ discoveries: [NodeDiscovery],
        in tree: String
    ) async throws(StoreError) -> DiscoverySummary {
        try write(.power) { try $0.nodes.discover(discoveries, in: tree) }
    }

    /// Marks components of a node.
    package func mark(
        _ components: NodeComponents,
        of id: NodeID,
        in tree: String
    ) async throws(StoreError) -> NodeMark {
        try write(.power) { try $0.nodes.mark(components, of: id, in: tree) }
    }

    /// Unmarks components of a node.
    package func unmark(
        _ components: NodeComponents,
        of id: NodeID,
        ifETagMatches etag: String?,
        in tree: String
    ) async throws(StoreError) -> NodeMark? {
        try write(.process) { try $0.nodes.unmark(components, of: id, ifETagMatches: etag, in: tree) }
    }

    /// Removes nodes and all that is below them, and cancels their transfers.
    package func removeNodes(
        _ ids: [NodeID],
        in tree: String,
        upTo limit: Int,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> NodeRemoval {
        try write(.power) { try $0.removeNodes(ids, in: tree, upTo: limit, holder: holder, at: now) }
    }

    /// Adds the transfers of nodes, one for each.
    package func add(
        _ downloads: [(node: NodeID, download: NodeDownload)],
        in tree: String,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [NeededOutcome] {
        try write(.power) { rows in
            try rows.addNeeded(downloads, in: tree) { try rows.add($0, holder: holder, at: now) } ?? []
        }
    }

    /// The node with an id, with its payload and its mark.
    package func node(_ id: NodeID, in tree: String) async throws(StoreError) -> StoredNode? {
        try read { image in
            image.trees.tree(named: tree).flatMap { image.trees.number(of: id, in: $0) }.flatMap {
                image.trees.whole($0)
            }
        }
    }

    /// Nodes by their numbers, with their payloads and their marks.
    package func nodes(_ numbers: [Int64], in tree: String) async throws(StoreError) -> [StoredNode?] {
        let trees = try read { $0.trees }
        return try refusing { try trees.nodes(numbers, in: tree) }
    }

    /// Nodes by their ids, with their payloads and their marks.
    package func nodes(_ ids: [NodeID], in tree: String) async throws(StoreError) -> [StoredNode?] {
        let trees = try read { $0.trees }
        return try refusing { try trees.nodes(ids, in: tree) }
    }

    /// The latest transfer of a node, unless it is over.
    package func transfer(of id: NodeID, in tree: String) async throws(StoreError) -> TransferID? {
        try read { image in
            image.trees.tree(named: tree).flatMap { image.trees.number(of: id, in: $0) }.flatMap {
                image.trees.links[$0]?.transfer
            }
        }
    }

    /// Continues a walk.
    package func page(
        of walk: NodeWalk,
        in tree: String,
        upTo limit: Int
    ) async throws(StoreError) -> (nodes: [WalkedNode], walk: NodeWalk) {
        let trees = try read { $0.trees }
        var walk = walk
        let nodes = try refusing { try walk.page(of: tree, upTo: limit, trees) }
        return (nodes, walk)
    }

    /// Continues a search.
    package func page(
        of search: NeededSearch,
        upTo limit: Int
    ) async throws(StoreError) -> (entries: [NeededSearch.Entry], search: NeededSearch) {
        let trees = try read { $0.trees }
        var search = search
        let entries = try refusing { try search.page(upTo: limit, trees) }
        return (entries, search)
    }

    /// The result of a read that throws errors of the store only.
    private func refusing<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("memory fails otherwise: \(error)")
        }
    }
}

extension MemoryTrees {
    /// A node with its payload, the id of its parent, and its mark.
    fileprivate func whole(_ number: Int64) -> StoredNode? {
        guard var stored = node(number) else { return nil }
        stored.node.payload = payload(of: number)
        return stored
    }
}
