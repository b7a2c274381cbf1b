/// What a walk and a search read of a store, as of one moment.
package protocol NodeReading {
    /// The tree with a name.
    func tree(named name: String) throws -> StoredTree?
    /// The number of a node.
    func number(of id: NodeID, in tree: StoredTree) throws -> Int64?
    /// A node, without its payload, and its mark.
    func node(_ number: Int64) throws -> StoredNode?
    /// A node with its payload, and its mark.
    func nodeWithPayload(_ id: NodeID, in tree: StoredTree) throws -> StoredNode?
    /// The children of a node by name and number, those after a place. The ids of their parent are left out.
    func children(of parent: Int64, after place: NodePlace?, upTo limit: Int) throws -> [StoredNode]
    /// The payload of a node.
    func payload(of number: Int64) throws -> [UInt8]
    /// The number of the parent of a node; `nil` for an unknown node.
    func parent(of number: Int64) throws -> Int64?
    /// Marked nodes of a tree by their numbers, those after a number, and when their content last changed.
    func marked(
        in tree: StoredTree,
        after number: Int64,
        upTo limit: Int
    ) throws -> [(number: Int64, modified: Instant?)]
}

extension NodeReading {
    /// The nodes with some ids, with their payloads and their marks, in the order given.
    package func nodes(_ ids: [NodeID], in name: String) throws -> [StoredNode?] {
        guard let tree = try tree(named: name) else { return ids.map { _ in nil } }
        return try ids.map { try nodeWithPayload($0, in: tree) }
    }

    /// A node with its payload, and its mark.
    package func nodeWithPayload(_ id: NodeID, in tree: StoredTree) throws -> StoredNode? {
        try number(of: id, in: tree).flatMap { try nodeWithPayload($0) }
    }

    /// The nodes of a tree with some numbers, with their payloads and their marks, in the order given. The number of a node that
    /// was removed may be that of a node of another tree now.
    package func nodes(_ numbers: [Int64], in name: String) throws -> [StoredNode?] {
        guard let tree = try tree(named: name) else { return numbers.map { _ in nil } }
        return try numbers.map { wanted in
            guard let stored = try nodeWithPayload(wanted) else { return nil }
            return try number(of: stored.node.id, in: tree) == wanted ? stored : nil
        }
    }

    /// A node with its payload, and its mark.
    package func nodeWithPayload(_ number: Int64) throws -> StoredNode? {
        guard var stored = try node(number) else { return nil }
        if stored.hasPayload { stored.node.payload = try payload(of: number) }
        return stored
    }
}
