import FerryCore
import GRDB

/// The nodes of trees, in the tables `tree`, `node`, `mark` and `node_transfer`.
struct StoredNodes {
    let db: Database
    let codec: RowCodec
    private let ties: TransferTies?

    /// - Parameter ties: what the transaction knows of the transfers of nodes; `nil` outside of a write.
    init(_ db: Database, codec: RowCodec, ties: TransferTies? = nil) {
        (self.db, self.codec, self.ties) = (db, codec, ties)
    }
}

extension StoredNodes: NodeReading {
    func tree(named name: String) throws -> StoredTree? {
        try BareStatement(Self.tree, on: db).first({ $0.add(name) }, codec: codec) { row in
            StoredTree(number: try row.integer(0), generation: try row.integer(1))
        }
    }

    func number(of id: NodeID, in tree: StoredTree) throws -> Int64? {
        try BareStatement("SELECT id FROM node WHERE tree = ? AND key = ?", on: db).first(
            { values in
                values.add(tree.number)
                values.add(id.text)
            },
            codec: codec
        ) { try $0.integer(0) }
    }

    func node(_ number: Int64) throws -> StoredNode? {
        try BareStatement(Self.nodeWithParent, on: db).first(
            { $0.add(number) },
            codec: codec,
            Self.storedWithParent
        )
    }

    func nodeWithPayload(_ id: NodeID, in tree: StoredTree) throws -> StoredNode? {
        try BareStatement(Self.wholeNode, on: db).first(
            { values in
                values.add(tree.number)
                values.add(id.text)
            },
            codec: codec
        ) { row in
            var stored = try Self.storedWithParent(row)
            stored.node.payload = try row.optionalBytes(17) ?? []
            return stored
        }
    }

    func children(of parent: Int64, after place: NodePlace?, upTo limit: Int) throws -> [StoredNode] {
        var children: [StoredNode] = []
        children.reserveCapacity(limit)
        guard let place else {
            try collectChildren(Self.firstChildren, into: &children) { values in
                values.add(parent)
                values.add(limit)
            }
            return children
        }
        // SQLite would search a comparison of pairs by the name alone, and then read all children of that name.
        try collectChildren(Self.namesakes, into: &children) { values in
            values.add(parent)
            values.add(place.name)
            values.add(place.number)
            values.add(limit)
        }
        guard children.count < limit else { return children }
        let rest = limit - children.count
        try collectChildren(Self.laterChildren, into: &children) { values in
            values.add(parent)
            values.add(place.name)
            values.add(rest)
        }
        return children
    }

    private func collectChildren(
        _ sql: String,
        into children: inout [StoredNode],
        _ bind: (inout StatementBinder) throws -> Void
    ) throws {
        try BareStatement(sql, on: db).forEach(bind, codec: codec) { children.append(try Self.stored($0)) }
    }

    func payload(of number: Int64) throws -> [UInt8] {
        try BareStatement("SELECT payload FROM node WHERE id = ?", on: db).first(
            { $0.add(number) },
            codec: codec
        ) { try $0.optionalBytes(0) ?? [] } ?? []
    }

    func parent(of number: Int64) throws -> Int64? {
        try BareStatement("SELECT parent FROM node WHERE id = ?", on: db).first(
            { $0.add(number) },
            codec: codec
        ) { try $0.integer(0) }
    }

    func marked(
        in tree: StoredTree,
        after number: Int64,
        upTo limit: Int
    ) throws -> [(number: Int64, modified: Instant?)] {
        var found: [(number: Int64, modified: Instant?)] = []
        try BareStatement(Self.marked, on: db).forEach(
            { values in
                values.add(tree.number)
                values.add(number)
                values.add(limit)
            },
            codec: codec
        ) { row in
            found.append(
                (try row.integer(0), try row.optionalInteger(1).map { Instant(milliseconds: $0) })
            )
        }
        return found
    }

    /// Reads a row with ``columns``.
    fileprivate static func stored(_ row: ColumnReader<Int>) throws -> StoredNode {
        var node = Node(NodeID(try row.text(2)), name: try row.text(3))
        node.etag = try row.optionalText(4)
        node.modified = try row.optionalInteger(5).map { Instant(milliseconds: $0) }
        node.size = try row.optionalInteger(6)
        node.sourceText = try row.optionalText(7)
        return StoredNode(
            number: try row.integer(0),
            parent: try row.integer(1),
            node: node,
            hasPayload: try row.integer(8) != 0,
            hasChildren: try row.integer(9) != 0,
            mark: try mark(row, from: 11)
        )
    }

    /// Reads a row with ``columns`` and ``parentKey``.
    private static func storedWithParent(_ row: ColumnReader<Int>) throws -> StoredNode {
        var stored = try stored(row)
        stored.node.parent = try row.optionalText(16).map { NodeID($0) }
        return stored
    }

    /// Reads the mark from five columns. Bits that stand for no component are ignored.
    fileprivate static func mark(_ row: ColumnReader<Int>, from first: Int) throws -> NodeMark? {
        guard let bits = try row.optionalInteger(first) else { return nil }
        let components = NodeComponents(rawValue: UInt8(truncatingIfNeeded: bits))
        var generations = NodeMark.Generations()
        for bit in 0..<4 { generations[bit] = try row.integer(first + 1 + bit) }
        return components.isEmpty ? nil : NodeMark(components, generations: generations)
    }

    private static let tree = "SELECT id, generation FROM tree WHERE name = ?"

    private static func columns(_ more: String = "") -> String {
        """
        SELECT node.id, node.parent, node.key, node.name, node.etag, node.modified, node.size, node.source,
            node.payload IS NOT NULL,
            EXISTS (SELECT 1 FROM node AS child INDEXED BY node_child WHERE child.parent = node.id), node.tree,
            mark.components, mark.header, mark.metadata, mark.thumbnail, mark.data\(more)
        """
    }

    private static let marksOfNodes = " LEFT JOIN mark ON mark.tree = node.tree AND mark.node = node.id "

    private static let parentKey = ", (SELECT key FROM node AS above WHERE above.id = node.parent)"

    private static let nodeWithParent =
        columns(parentKey) + " FROM node" + marksOfNodes + "WHERE node.id = ?"

    private static let byKey =
        " FROM node INDEXED BY node_key" + marksOfNodes + "WHERE node.tree = ? AND node.key = ?"

    private static let wholeNode = columns(parentKey + ", node.payload") + byKey

    fileprivate static let nodeByKey = columns() + byKey

    private static let children = columns() + " FROM node INDEXED BY node_child" + marksOfNodes

    private static let firstChildren =
        children + "WHERE node.parent = ? ORDER BY node.name, node.id LIMIT ?"

    private static let namesakes =
        children + "WHERE node.parent = ? AND node.name = ? AND node.id > ? ORDER BY node.id LIMIT ?"

    private static let laterChildren =
        children + "WHERE node.parent = ? AND node.name > ? ORDER BY node.name, node.id LIMIT ?"

    private static let marked = """
        SELECT mark.node, node.modified FROM mark CROSS JOIN node ON node.id = mark.node
        WHERE mark.tree = ? AND mark.node > ? ORDER BY mark.node LIMIT ?
        """
}

extension StoredNodes: NodeRows {
    func treeAdding(named name: String) throws -> StoredTree {
        if let tree = try tree(named: name) { return tree }
        try BareStatement("INSERT INTO tree (name, generation) VALUES (?, 0)", on: db).execute {
            $0.add(name)
        }
        return StoredTree(number: db.lastInsertedRowID)
    }

    func put(_ tree: StoredTree) throws {
        try BareStatement("UPDATE tree SET generation = ? WHERE id = ?", on: db).execute { values in
            values.add(tree.generation)
            values.add(tree.number)
        }
    }

    func node(_ id: NodeID, in tree: StoredTree) throws -> StoredNode? {
        try BareStatement(Self.nodeByKey, on: db).first(
            { values in
                values.add(tree.number)
                values.add(id.text)
            },
            codec: codec,
            Self.stored
        )
    }

    func insert(_ node: Node, below parent: Int64, in tree: StoredTree) throws -> Int64 {
        try BareStatement(Self.insertion, on: db).execute { values in
            values.add(tree.number)
            values.add(node.id.text)
            Self.bind(node, below: parent, to: &values)
        }
        return db.lastInsertedRowID
    }

    func update(_ number: Int64, to node: Node, below parent: Int64) throws {
        try BareStatement(Self.replacement, on: db).execute { values in
            Self.bind(node, below: parent, to: &values)
            values.add(number)
        }
    }

    func delete(_ number: Int64, in tree: StoredTree) throws {
        try BareStatement("DELETE FROM mark WHERE tree = ? AND node = ?", on: db).execute { values in
            values.add(tree.number)
            values.add(number)
        }
        try BareStatement("DELETE FROM node WHERE id = ?", on: db).execute { $0.add(number) }
    }

    func put(_ mark: NodeMark, of number: Int64, in tree: StoredTree) throws {
        let sql = mark.components.isEmpty ? "DELETE FROM mark WHERE tree = ? AND node = ?" : Self.marking
        try BareStatement(sql, on: db).execute { values in
            values.add(tree.number)
            values.add(number)
            guard !mark.components.isEmpty else { return }
            values.add(Int64(mark.components.rawValue))
            for bit in 0..<4 { values.add(mark.generations[bit]) }
        }
    }

    func mark(of number: Int64, in tree: StoredTree) throws -> NodeMark? {
        try BareStatement(Self.markOfNode, on: db).first(
            { values in
                values.add(tree.number)
                values.add(number)
            },
            codec: codec
        ) { try Self.mark($0, from: 0) } ?? nil
    }

    func link(of number: Int64) throws -> NodeLink? {
        try BareStatement(Self.link + "node = ?", on: db).first({ $0.add(number) }, codec: codec, Self.link)
    }

    func links(of transfer: TransferID) throws -> [NodeLink] {
        guard try ties?.mayBe(.nodes) ?? true else { return [] }
        var links: [NodeLink] = []
        try BareStatement(Self.link + "transfer = ?", on: db).forEach(
            { $0.add(transfer.rawValue) },
            codec: codec
        ) { links.append(try Self.link($0)) }
        return links
    }

    func put(_ link: NodeLink) throws {
        try BareStatement(Self.linking, on: db).execute { values in
            values.add(link.node)
            values.add(link.transfer.rawValue)
            values.add(Int64(link.components.rawValue))
            values.add(link.generation)
            values.add(link.etag)
        }
        ties?.note(.nodes)
    }

    func deleteLink(of number: Int64) throws {
        try BareStatement("DELETE FROM node_transfer WHERE node = ?", on: db).execute { $0.add(number) }
    }

    func version(of number: Int64) throws -> (tree: StoredTree, etag: String?)? {
        try BareStatement(Self.versionOfNode, on: db).first({ $0.add(number) }, codec: codec) { row in
            let tree = StoredTree(number: try row.integer(0), generation: try row.integer(1))
            return (tree, try row.optionalText(2))
        }
    }

    /// Binds the columns of a node that may change.
    private static func bind(_ node: Node, below parent: Int64, to values: inout StatementBinder) {
        values.add(parent)
        values.add(node.name)
        values.add(node.etag)
        values.add(node.modified?.milliseconds)
        values.add(node.size)
        values.add(node.sourceText)
        values.add(node.payload.isEmpty ? nil : node.payload)
    }

    private static func link(_ row: ColumnReader<Int>) throws -> NodeLink {
        NodeLink(
            node: try row.integer(0),
            transfer: TransferID(rawValue: try row.integer(1)),
            components: NodeComponents(rawValue: UInt8(truncatingIfNeeded: try row.integer(2))),
            generation: try row.integer(3),
            etag: try row.optionalText(4)
        )
    }

    private static let insertion = """
        INSERT INTO node (tree, key, parent, name, etag, modified, size, source, payload)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static let replacement = """
        UPDATE node SET parent = ?, name = ?, etag = ?, modified = ?, size = ?, source = ?, payload = ? WHERE id = ?
        """

    private static let marking = """
        INSERT OR REPLACE INTO mark (tree, node, components, header, metadata, thumbnail, data)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """

    private static let markOfNode = """
        SELECT components, header, metadata, thumbnail, data FROM mark WHERE tree = ? AND node = ?
        """

    private static let link = "SELECT node, transfer, components, generation, etag FROM node_transfer WHERE "

    private static let linking = """
        INSERT OR REPLACE INTO node_transfer (node, transfer, components, generation, etag) VALUES (?, ?, ?, ?, ?)
        """

    private static let versionOfNode = """
        SELECT tree.id, tree.generation, node.etag FROM node CROSS JOIN tree ON tree.id = node.tree WHERE node.id = ?
        """
}
