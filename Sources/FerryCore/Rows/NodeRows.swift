/// The nodes of trees in a store, during one write. All stores share the code that decides what a write does.
package protocol NodeRows: NodeReading {
    /// The tree with a name, which is added if there is none.
    func treeAdding(named name: String) throws -> StoredTree
    /// Stores the latest generation of a tree.
    func put(_ tree: StoredTree) throws
    /// A node of a tree by its id, without its payload and the id of its parent, and its mark.
    func node(_ id: NodeID, in tree: StoredTree) throws -> StoredNode?
    /// Adds a node; returns its number.
    func insert(_ node: Node, below parent: Int64, in tree: StoredTree) throws -> Int64
    /// Replaces a node.
    func update(_ number: Int64, to node: Node, below parent: Int64) throws
    /// Deletes a node, its payload and its mark.
    func delete(_ number: Int64, in tree: StoredTree) throws
    /// Stores the mark of a node; without components it is deleted.
    func put(_ mark: NodeMark, of number: Int64, in tree: StoredTree) throws
    /// The mark of a node.
    func mark(of number: Int64, in tree: StoredTree) throws -> NodeMark?
    /// The transfer of a node.
    func link(of number: Int64) throws -> NodeLink?
    /// The nodes of a transfer.
    func links(of transfer: TransferID) throws -> [NodeLink]
    /// Stores the transfer of a node, in place of an earlier one.
    func put(_ link: NodeLink) throws
    /// Forgets the transfer of a node.
    func deleteLink(of number: Int64) throws
    /// The ETag of a node, and its tree; `nil` for an unknown node.
    func version(of number: Int64) throws -> (tree: StoredTree, etag: String?)?
}

extension NodeRows {
    /// Stores nodes as their source has them now, and marks them.
    package func discover(
        _ discoveries: [NodeDiscovery],
        in name: String
    ) throws -> DiscoverySummary {
        for discovery in discoveries {
            if let flaw = discovery.node.flaw { throw StoreError.refusedNode(discovery.node.id, flaw) }
        }
        var tree = try treeAdding(named: name)
        tree.generation += 1
        var summary = DiscoverySummary()
        var hasMarked = false
        // Most nodes of a listing have the parent of the node before.
        var parent: (id: NodeID, number: Int64)?
        for discovery in discoveries {
            let node = discovery.node
            if let id = node.parent, parent?.id != id {
                guard let number = try number(of: id, in: tree) else {
                    throw StoreError.refusedNode(node.id, .unknownParent(id))
                }
                parent = (id, number)
            }
            let above = node.parent == nil ? tree.top : parent?.number ?? tree.top
            let known = try self.node(node.id, in: tree)
            let isChanged = known.map { !node.hasVersion(of: $0.node) } ?? true
            let number: Int64
            if let known {
                number = known.number
                if try !isStored(node, as: known, below: above) {
                    try update(number, to: node, below: above)
                }
            } else {
                number = try insert(node, below: above, in: tree)
            }
            summary.count(known, isChanged: isChanged, node: node, parent: above)
            let components = discovery.marking.union(isChanged ? discovery.markingIfChanged : [])
            if !components.isEmpty {
                var mark = known?.mark ?? NodeMark()
                mark.add(components, in: tree.generation)
                try put(mark, of: number, in: tree)
                hasMarked = true
            }
        }
        if hasMarked { try put(tree) }
        return summary
    }

    /// Whether a node is stored exactly like this.
    private func isStored(_ node: Node, as known: StoredNode, below parent: Int64) throws -> Bool {
        guard known.parent == parent, known.hasPayload != node.payload.isEmpty,
            node.hasVersion(of: known.node)
        else { return false }
        var stored = known.node
        if known.hasPayload { stored.payload = try payload(of: known.number) }
        stored.parent = node.parent
        return stored == node && stored.name.hasSameOctets(as: node.name)
            && stored.etag.hasSameOctets(as: node.etag)
    }

    /// Marks components of a node.
    package func mark(
        _ components: NodeComponents,
        of id: NodeID,
        in name: String
    ) throws -> NodeMark {
        guard var tree = try tree(named: name), let known = try node(id, in: tree) else {
            throw StoreError.refusedNode(id, .unknown)
        }
        var mark = known.mark ?? NodeMark()
        guard !components.isEmpty else { return mark }
        tree.generation += 1
        mark.add(components, in: tree.generation)
        try put(mark, of: known.number, in: tree)
        try put(tree)
        return mark
    }

    /// Unmarks components of a node, unless it has another ETag now.
    ///
    /// - Returns: the mark that is left; `nil` when nothing is marked.
    package func unmark(
        _ components: NodeComponents,
        of id: NodeID,
        ifETagMatches etag: String?,
        in name: String
    ) throws -> NodeMark? {
        guard let tree = try tree(named: name), let known = try node(id, in: tree), var mark = known.mark
        else { return nil }
        guard NodeMark.mayUnmark(ifETagMatches: etag, current: known.node.etag) else { return mark }
        return try remove(components, from: &mark, of: known.number, in: tree)
    }

    private func remove(
        _ components: NodeComponents,
        from mark: inout NodeMark,
        of number: Int64,
        in tree: StoredTree
    ) throws -> NodeMark? {
        guard !mark.components.isDisjoint(with: components) else { return mark }
        mark.remove(components)
        try put(mark, of: number, in: tree)
        return mark.components.isEmpty ? nil : mark
    }

    /// Takes the end of a transfer into account. The commit that completes it unmarks what it has downloaded.
    func note(_ transfer: Transfer, formerly former: Transfer) throws {
        guard former.state.name != transfer.state.name, transfer.state.name.isOver else { return }
        for link in try links(of: transfer.id) {
            if transfer.state == .completed { try settle(link, fetched: transfer.work.fetchedETag) }
            try deleteLink(of: link.node)
        }
    }

    private func settle(_ link: NodeLink, fetched: String?) throws {
        guard let node = try version(of: link.node), var mark = try mark(of: link.node, in: node.tree) else {
            return
        }
        let components = link.unmarked(mark, fetched: fetched, current: node.etag)
        _ = try remove(components, from: &mark, of: link.node, in: node.tree)
    }
}

extension DiscoverySummary {
    fileprivate mutating func count(_ known: StoredNode?, isChanged: Bool, node: Node, parent: Int64) {
        guard let known else { return new += 1 }
        if isChanged {
            changed += 1
        } else if known.parent != parent || !known.node.name.hasSameOctets(as: node.name) {
            moved += 1
        } else {
            unchanged += 1
        }
    }
}
