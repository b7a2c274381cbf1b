/// A walk through a tree, page by page: each node before its children, and children by name.
///
/// Between two pages it keeps the path to the latest node only. So nodes may be added, moved and removed meanwhile: what was
/// passed is not visited again, and what comes later is visited where it is then. A node that is its own ancestor is not
/// entered again.
package struct NodeWalk: Sendable {
    /// The children of one node.
    private struct Level {
        /// The number of the node.
        let parent: Int64
        /// Its id; `nil` for the top of the tree.
        let id: NodeID?
        /// The latest of the children that were visited.
        var latest: NodePlace?
        /// The next ones, as of the present page.
        var next: ArraySlice<StoredNode> = []
        /// Whether no children come after ``next``.
        var isRead = false
        /// Number of children to read at once. Usually the first child has children of its own, or all of many have none.
        var portion = 8
    }

    private let start: NodeID?
    private var levels: [Level] = []
    private var path: Set<Int64> = []
    private var hasBegun = false

    /// Maximum bytes of payloads in one page, unless a single node has more (I9).
    private static let mostBytes = 1 << 20

    /// Creates a walk.
    ///
    /// - Parameter start: the first node; `nil` for all nodes of the tree.
    package init(from start: NodeID? = nil) { self.start = start }

    /// Whether everything was visited.
    package var isDone: Bool { hasBegun && levels.isEmpty }

    /// Visits the next nodes.
    package mutating func page(
        of tree: String,
        upTo limit: Int,
        _ store: some NodeReading
    ) throws -> [WalkedNode] {
        var page: [WalkedNode] = []
        var bytes = 0
        if !hasBegun {
            hasBegun = true
            guard let tree = try store.tree(named: tree) else { return [] }
            if let start {
                guard let number = try store.number(of: start, in: tree), let first = try store.node(number)
                else { throw StoreError.refusedNode(start, .unknown) }
                page.append(try walked(first, store))
                bytes += page[0].node.payload.count
                enter(number, first.node.id)
            } else {
                enter(tree.top, nil)
            }
        }
        while page.count < limit, bytes < Self.mostBytes, let next = try nextNode(limit, store) {
            let node = try walked(next, store)
            if next.hasChildren { enter(next.number, next.node.id) }
            bytes += node.node.payload.count
            page.append(node)
        }
        // What was read ahead may change before the next page.
        for index in levels.indices { (levels[index].next, levels[index].isRead) = ([], false) }
        return page
    }

    /// Leaves out what is below a node that was visited, and all deeper nodes on its path.
    package mutating func skipChildren(atDepth depth: Int) {
        while depthOfNext > depth { leave() }
    }

    /// The depth of the children that are visited next.
    private var depthOfNext: Int { levels.count - (start == nil ? 1 : 0) }

    private mutating func enter(_ number: Int64, _ id: NodeID?) {
        levels.append(Level(parent: number, id: id))
        path.insert(number)
    }

    private mutating func leave() {
        if let level = levels.popLast() { path.remove(level.parent) }
    }

    /// The next node on the path, with its place noted.
    private mutating func nextNode(_ limit: Int, _ store: some NodeReading) throws -> StoredNode? {
        while let index = levels.indices.last {
            if let next = levels[index].next.popFirst() {
                levels[index].latest = NodePlace(next)
                if path.contains(next.number) { continue }
                return next
            }
            if levels[index].isRead {
                leave()
                continue
            }
            let portion = min(levels[index].portion, limit)
            let read = try store.children(
                of: levels[index].parent,
                after: levels[index].latest,
                upTo: portion
            )
            levels[index].isRead = read.count < portion
            levels[index].portion = 128
            levels[index].next = read[...]
        }
        return nil
    }

    private func walked(_ stored: StoredNode, _ store: some NodeReading) throws -> WalkedNode {
        var node = stored.node
        if let level = levels.last { node.parent = level.id }
        if stored.hasPayload { node.payload = try store.payload(of: stored.number) }
        // The level of its children is not on the path yet.
        return WalkedNode(node: node, depth: levels.isEmpty ? 0 : depthOfNext, mark: stored.mark)
    }
}
