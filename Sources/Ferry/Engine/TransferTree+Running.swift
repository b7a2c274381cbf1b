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
        try await client.rescueTheDead()
        let outcomes = try await added(downloads, holder: owner, in: engine)
        var additions: [Addition] = outcomes.added.map { .added($0) }
        for ids in outcomes.present.pages {
            additions += try await resumed(ids, holder: owner, in: engine).map { .attached($0) }
        }
        return additions
    }

    /// Resumes transfers that exist already, or follows them. After a kill there may be very many.
    private func resumed(
        _ ids: [TransferID],
        holder: OwnerID,
        in engine: TransferEngine
    ) async throws -> [Transfer] {
        var followed: [Transfer] = []
        var others: [TransferID] = []
        engine.hub.expectFollowing()
        do {
            defer { engine.scheduler.follow(followed) }
            let known = try await client.store.transfers(ids).compactMap(\.self)
            let left = known.filter(\.isLeft).map(\.id)
            if !left.isEmpty {
                followed += try await client.store.takeUp(left, holder: holder, at: client.now)
            }
            let taken = Set(followed.map(\.id))
            for transfer in known where !taken.contains(transfer.id) {
                // An engine claims what is queued as soon as it follows it.
                let isReady = transfer.claim != nil || transfer.state == .queued
                if isReady, transfer.wish == nil {
                    followed.append(transfer)
                } else {
                    others.append(transfer.id)
                }
            }
        }
        // Together, so that they share commits.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in others { group.addTask { try await engine.follow([id]) } }
            try await group.waitForAll()
        }
        return try await followed + client.store.transfers(others).compactMap(\.self)
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
        for outcome in try await add(downloads, holder: holder) {
            switch outcome {
            case .added(let transfer): added.append(transfer)
            case .present(let id): present.append(id)
            case .notNeeded: break
            }
        }
        return (added, present)
    }
}
