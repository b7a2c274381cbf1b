/// A search for the marked nodes of a tree, page by page. ``NeededOrder`` puts what it finds in order.
package struct NeededSearch: Sendable {
    /// A marked node.
    package struct Entry: Hashable, Sendable {
        /// Its number.
        package let number: Int64
        /// How far it is below the first nodes of the search.
        package let depth: Int32
        /// When its content last changed, in milliseconds; the earliest moment if unknown.
        package let modified: Int64

        /// Whether it is downloaded before another: shallow before deep, then the newest, then as discovered.
        package func isBefore(_ other: Entry) -> Bool {
            if depth != other.depth { return depth < other.depth }
            if modified != other.modified { return modified > other.modified }
            return number < other.number
        }
    }

    private let tree: String
    private let start: NodeID?
    private let excluded: NodeNumbers
    private var latest: Int64 = 0
    /// The depths of nodes that others are below; ``outside`` for those that are not below the start.
    private var depths: [Int64: Int32] = [:]
    /// Whether everything was found.
    package private(set) var isDone = false

    private static let outside: Int32 = -1
    /// Maximum depths that are kept from page to page (I9).
    private static let mostDepths = 100_000

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - start: the node that is searched with all that is below it; `nil` for the whole tree.
    ///   - excluded: the numbers of nodes that are left out.
    init(in tree: String, under start: NodeID?, except excluded: NodeNumbers) {
        (self.tree, self.start, self.excluded) = (tree, start, excluded)
    }

    /// Looks at the next marked nodes; returns those below the start.
    ///
    /// - Throws: ``StoreError/refusedNode(_:_:)`` when the start is not in the tree.
    package mutating func page(upTo limit: Int, _ store: some NodeReading) throws -> [Entry] {
        if depths.count > Self.mostDepths { depths = [:] }
        guard let tree = try store.tree(named: tree) else {
            isDone = true
            return []
        }
        let first = try start.map { id in
            guard let number = try store.number(of: id, in: tree) else {
                throw StoreError.refusedNode(id, .unknown)
            }
            return number
        }
        let marked = try store.marked(in: tree, after: latest, upTo: limit)
        latest = marked.last?.number ?? latest
        isDone = marked.count < limit
        return try marked.compactMap { node in
            guard !excluded.contains(node.number) else { return nil }
            let depth = try depth(of: node.number, below: first, store)
            guard depth != Self.outside else { return nil }
            return Entry(
                number: node.number,
                depth: depth,
                modified: node.modified?.milliseconds ?? .min
            )
        }
    }

    /// Follows the parents of a node. Nodes in a circle are not below anything but one another.
    private mutating func depth(
        of number: Int64,
        below first: Int64?,
        _ store: some NodeReading
    ) throws -> Int32 {
        var (path, visited): ([Int64], Set<Int64>) = ([], [])
        var next: Int64? = number
        // The depth of the node above the path.
        var above = Self.outside
        var isBelow = false
        while let node = next {
            if node == first {
                (above, isBelow) = (0, true)
                break
            }
            if node < 0 {
                isBelow = first == nil
                break
            }
            if let known = depths[node] {
                (above, isBelow) = (known, known != Self.outside)
                break
            }
            guard visited.insert(node).inserted else { break }
            path.append(node)
            next = try store.parent(of: node)
        }
        for node in path.reversed() {
            above = isBelow ? above + 1 : Self.outside
            depths[node] = above
        }
        return above
    }
}
