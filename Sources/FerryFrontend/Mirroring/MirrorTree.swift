package import Ferry

/// The tree of a mirror: its state at the top, and below it a node for each file and directory.
package struct MirrorTree: Sendable {
    /// What is mirrored.
    let plan: MirrorPlan
    /// The engine whose store has it.
    package let engine: TransferEngine
    /// The nodes.
    let nodes: TransferTree
    /// How far the mirror has come; `nil` if it was never begun.
    package let state: MirrorState?
    /// Where the top was listed last.
    let topURL: HTTPURL?

    /// Finds the tree of a mirror.
    package init(of plan: MirrorPlan, in engine: TransferEngine) async throws {
        (self.plan, self.engine) = (plan, engine)
        let top = NodeID(MirrorPath.top)
        var number = 0
        while true {
            let tree = engine.tree(named: MirrorState.treeName(plan.identity, number: number))
            let stored = try await tree.nodes([top])[0]
            guard let stored else {
                (nodes, state, topURL) = (tree, nil, nil)
                return
            }
            guard let state = MirrorState(stored.node.payload) else { throw plan.damagedState }
            if state.identity == plan.identity {
                (nodes, self.state, topURL) = (tree, state, stored.node.source)
                return
            }
            // The tree of another mirror has the same hash.
            number += 1
        }
    }

    /// The node at the top.
    static func top(_ state: MirrorState, at url: HTTPURL?) -> NodeDiscovery {
        NodeDiscovery(Node(NodeID(MirrorPath.top), name: "", source: url, payload: state.payload))
    }

    /// The node of a file or a directory.
    ///
    /// It has no ETag: a store may list another one than its responses have, and the mark would stay for ever.
    static func node(_ path: String, _ entry: MirrorEntry, at url: HTTPURL?) -> Node {
        let (directory, name) = MirrorPath.split(path)
        return Node(
            NodeID(path),
            parent: NodeID(directory),
            name: name,
            size: entry.version.size,
            source: url,
            payload: entry.payload
        )
    }

    /// The node of a file that is not to be downloaded. So the secrets of its URLs are left out: the next pass reads the URLs anew.
    static func settledNode(_ path: String, _ entry: MirrorEntry, at url: HTTPURL?) -> Node {
        var entry = entry
        entry.mirrors = []
        return node(path, entry, at: url?.withoutSecrets)
    }

    /// Whether the listing of a file is of another version than the file that a transfer has saved.
    func lists(_ version: ListedVersion, unlike transfer: Transfer) -> Bool {
        var listed = version
        if case .manifest = plan.source {
            // The transfer has compared the digest with the file itself. One of several servers may have another ETag.
            guard version.checksum == nil else { return false }
            // The author of a manifest writes any text.
            listed.stamp = nil
        }
        return listed.isOther(thanSent: transfer.sentETag, transfer.sentTime, at: SystemTime.now)
    }

    /// The completed transfers that have saved some nodes, by path.
    func saved(_ nodes: [Node]) async throws -> [NodeID: Transfer] {
        guard !nodes.isEmpty else { return [:] }
        let completed = try await engine.completed(at: nodes.map { plan.folder.absolute($0.id.text) })
        return zip(nodes, completed).reduce(into: [:]) { saved, pair in
            // A person may have saved another file there. The URL of a completed transfer has no secrets; most have none anyway.
            guard let transfer = pair.1,
                pair.0.isFrom(transfer.url) || transfer.url.redacted == pair.0.source?.redacted
            else { return }
            saved[pair.0.id] = transfer
        }
    }
}

extension Node {
    /// Whether it is the node of a file at this URL. A password or a signature may have changed, or may have been left out.
    func isOfFile(at url: HTTPURL?) -> Bool {
        isFrom(url) || url != nil && source?.withoutSecrets == url?.withoutSecrets
    }
}
