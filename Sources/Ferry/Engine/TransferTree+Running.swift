package import FerryCore

/// Nodes whose transfers run in one engine, as with ``TransferEngine/download(_:)``.
extension TransferTree {
    /// Adds the transfers of marked nodes, and runs them in an engine. Those that exist already are resumed there, or
    /// followed if another process runs them.
    ///
    /// - Parameter engine: the engine that this tree belongs to.
    /// - Returns: the transfers of nodes that still need one.
    /// - Throws: ``StoreError`` and ``StorageProblem``.
    package func run(
        _ downloads: [(node: NodeID, download: NodeDownload)],
        in engine: TransferEngine
    ) async throws -> [Addition] {
        let owner = try await engine.scheduler.join()
        let outcomes = try await added(downloads, holder: owner, in: engine)
        var additions: [Addition] = outcomes.added.map { .added($0) }
        for ids in outcomes.present.pages {
            // Together, so that they share commits.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in ids { group.addTask { try await engine.follow([id]) } }
                try await group.waitForAll()
            }
            let transfers = try await client.store.transfers(ids).compactMap(\.self)
            additions += transfers.map { .attached($0) }
        }
        return additions
    }

    private func added(
        _ downloads: [(node: NodeID, download: NodeDownload)],
        holder: OwnerID,
        in engine: TransferEngine
    ) async throws -> (added: [Transfer], present: [TransferID]) {
        var added: [Transfer] = []
        var present: [TransferID] = []
        engine.hub.expectFollowing()
        defer { engine.scheduler.follow(added) }
        var ids: [TransferID] = []
        for outcome in try await add(downloads, holder: holder) {
            switch outcome {
            case .added(let id): ids.append(id)
            case .present(let id): present.append(id)
            case .notNeeded: break
            }
        }
        for page in ids.pages { added += try await client.store.transfers(page).compactMap(\.self) }
        return (added, present)
    }
}
