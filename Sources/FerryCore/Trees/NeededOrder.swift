/// The marked nodes of a tree in the order of their downloads, a bounded number at a time.
///
/// Depths are not stored, so only a search of all marks finds the first nodes. Each round makes such a search, keeps the first
/// nodes of it, and hands them out. The next round leaves these out by their numbers, not by their places in the order. So a
/// node that moves or changes between two rounds is neither missed nor handed out twice.
///
/// It keeps ``mostEntries`` and half as many again, 24 bytes each, however many nodes are marked. Of those that it handed out
/// it keeps about a bit each.
package struct NeededOrder: Sendable {
    /// Maximum nodes that one round hands out (I9). More need more memory, fewer need more searches.
    package static let mostEntries = 200_000

    private let tree: String
    private let start: NodeID?
    private let most: Int
    private var handedOut = NodeNumbers()
    /// The first nodes of the present round. They are put in order when there are too many of them.
    private var first: [NeededSearch.Entry] = []
    /// The last node of the round, as soon as it has left out nodes that come later.
    private var last: NeededSearch.Entry?
    /// Whether everything was handed out.
    package private(set) var isDone = false

    /// Creates the order of the marked nodes of a tree.
    ///
    /// - Parameters:
    ///   - start: the node that is searched with all that is below it; `nil` for the whole tree.
    ///   - most: the maximum number of nodes that one round hands out, at least 1.
    package init(in tree: String, under start: NodeID?, upTo most: Int = Self.mostEntries) {
        (self.tree, self.start, self.most) = (tree, start, most)
    }

    /// The search of the next round, from its beginning.
    package var search: NeededSearch { NeededSearch(in: tree, under: start, except: handedOut) }

    /// Takes what the search of the round has found.
    package mutating func add(_ found: [NeededSearch.Entry]) {
        for entry in found {
            if let last, last.isBefore(entry) { continue }
            first.append(entry)
            if first.count > most + most / 2 { sort() }
        }
    }

    /// Ends a round whose search has found everything.
    ///
    /// - Returns: the next nodes in their order; none when nothing is left.
    package mutating func endRound() -> [NeededSearch.Entry] {
        sort()
        isDone = last == nil
        let entries = first
        (first, last) = ([], nil)
        if !isDone { for entry in entries { handedOut.insert(entry.number) } }
        return entries
    }

    /// Puts the first nodes in order, and leaves out those that are too many.
    private mutating func sort() {
        first.sort { $0.isBefore($1) }
        guard first.count > most else { return }
        first.removeLast(first.count - most)
        last = first.last
    }
}
