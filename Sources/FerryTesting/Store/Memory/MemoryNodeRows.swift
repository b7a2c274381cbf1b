import FerryCore

/// The nodes of a memory store while one write runs.
struct MemoryNodeRows: NodeRows {
    private let store: MemoryRows

    /// Creates rows over those of a store.
    init(_ store: MemoryRows) { self.store = store }

    private var trees: MemoryTrees { store.image.trees }

    func tree(named name: String) -> StoredTree? { trees.tree(named: name) }

    func number(of id: NodeID, in tree: StoredTree) -> Int64? { trees.number(of: id, in: tree) }

    func node(_ number: Int64) -> StoredNode? { trees.node(number) }

    func children(of parent: Int64, after place: NodePlace?, upTo limit: Int) -> [StoredNode] {
        trees.children(of: parent, after: place, upTo: limit)
    }

    func payload(of number: Int64) -> [UInt8] { trees.payload(of: number) }

    func parent(of number: Int64) -> Int64? { trees.parent(of: number) }

    func marked(
        in tree: StoredTree,
        after number: Int64,
        upTo limit: Int
    ) -> [(number: Int64, modified: Instant?)] {
        trees.marked(in: tree, after: number, upTo: limit)
    }

    func treeAdding(named name: String) -> StoredTree {
        if let tree = trees.tree(named: name) { return tree }
        let tree = StoredTree(number: Int64(trees.trees.count + 1))
        store.image.changeTrees { $0.put(tree, named: name) }
        return tree
    }

    func put(_ tree: StoredTree) { store.image.changeTrees { $0.put(tree) } }

    func node(_ id: NodeID, in tree: StoredTree) -> StoredNode? {
        trees.number(of: id, in: tree).flatMap { trees.node($0) }
    }

    func insert(_ node: Node, below parent: Int64, in tree: StoredTree) -> Int64 {
        store.image.changeTrees { $0.insert(node, below: parent, in: tree) }
    }

    func update(_ number: Int64, to node: Node, below parent: Int64) {
        store.image.changeTrees { $0.update(number, to: node, below: parent) }
    }

    func delete(_ number: Int64, in tree: StoredTree) { store.image.changeTrees { $0.delete(number) } }

    func put(_ mark: NodeMark, of number: Int64, in tree: StoredTree) {
        store.image.changeTrees { $0.put(mark, of: number) }
    }

    func mark(of number: Int64, in tree: StoredTree) -> NodeMark? { trees.marks[number] }

    func link(of number: Int64) -> NodeLink? { trees.links[number] }

    func links(of transfer: TransferID) -> [NodeLink] {
        trees.links.values.filter { $0.transfer == transfer }.sorted { $0.node < $1.node }
    }

    func put(_ link: NodeLink) { store.image.changeTrees { $0.put(link) } }

    func deleteLink(of number: Int64) {
        if trees.links[number] != nil { store.image.changeTrees { $0.deleteLink(of: number) } }
    }

    func version(of number: Int64) -> (tree: StoredTree, etag: String?)? { trees.version(of: number) }
}
