import Ferry
import Foundation

/// Keeps the tree in the store as the server's is: conversations, and below them their items.
struct ServerTree {
    let engine: TransferEngine
    let tree: TransferTree
    let server: String

    /// All nodes that are known.
    func nodes() async throws -> [NodeID: Node] {
        var nodes: [NodeID: Node] = [:]
        try await tree.walk { visited in
            nodes[visited.node.id] = visited.node
            return .descend
        }
        return nodes
    }

    /// Takes over what is new at the server, and marks what has to be fetched because of it.
    ///
    /// - Throws: ``TransferFailure`` if the server cannot be reached.
    func update() async throws {
        while try await !takeOver() {}
    }

    /// - Returns: `false` if the server has changed meanwhile, so that the lists do not belong together.
    private func takeOver() async throws -> Bool {
        let known = try await nodes()
        let conversations = try await list("conversations").entries
        // A conversation is marked until its items were taken over, also if this program is killed before that.
        try await tree.discover(
            conversations.map { entry in
                var node = Node(entry.node, name: entry.name, etag: entry.etag)
                node.wanted = known[entry.node]?.wanted ?? .header
                return NodeDiscovery(node, markingIfChanged: .metadata)
            }
        )
        var changed: [NodeID: Listing] = [:]
        for entry in conversations where try await tree.isMarked(entry.node, .metadata) {
            let items = try await items(of: entry)
            guard let items, items.etag == entry.etag else { return false }
            changed[entry.node] = items
        }
        // One commit for all items. One that was moved is never in two conversations, or in none.
        try await tree.discover(
            changed.flatMap { conversation, list in
                try list.entries.map { try discovery($0, in: conversation, known) }
            }
        )
        let listed = Set(conversations.map(\.node) + changed.values.flatMap { $0.entries.map(\.node) })
        let gone = known.values.filter { node in
            !listed.contains(node.id) && (node.parent.map { changed[$0] != nil } ?? true)
        }
        try await tree.remove(gone.map(\.id))
        for (conversation, list) in changed {
            try await tree.unmark(conversation, .metadata, ifETagMatches: list.etag)
        }
        return true
    }

    private func discovery(
        _ entry: Listing.Entry,
        in conversation: NodeID,
        _ known: [NodeID: Node]
    ) throws -> NodeDiscovery {
        let before = known[entry.node]?.wanted ?? .header
        var node = Node(entry.node, parent: conversation, name: entry.name, etag: entry.etag)
        node.source = try HTTPURL(parsing: "\(server)/items/\(entry.id)/")
        node.wanted = before.union(known[conversation]?.wanted ?? [])
        return NodeDiscovery(
            node,
            marking: node.wanted.subtracting(before),
            markingIfChanged: node.wanted
        )
    }

    /// The items of a conversation; `nil` if it is gone.
    private func items(of conversation: Listing.Entry) async throws -> Listing? {
        do {
            return try await list("conversations/\(conversation.id)/items")
        } catch let failure as TransferFailure where failure.code == .notFound {
            return nil
        }
    }

    private func list(_ path: String) async throws -> Listing {
        let bytes = try await engine.data(
            from: HTTPURL(parsing: "\(server)/\(path)"),
            limit: 64 << 20,
            queue: nil,
            retries: 2,
            waitsForNetwork: false
        )
        return try JSONDecoder().decode(Listing.self, from: Data(bytes))
    }
}
