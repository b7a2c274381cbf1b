package import FerryCore

/// Steers transfers in any process, after one search for dead owners.
///
/// Transfers of dead owners become free, so a wish takes effect at once instead of waiting for a dead process.
package struct TransferSteering: Sendable {
    private let client: TransferClient

    /// Frees the transfers of dead owners.
    init(_ client: TransferClient) async throws(StoreError) {
        self.client = client
        try await client.ownership.rescueTheDead()
    }

    /// See ``TransferAccess/pause(_:)``.
    package func pause(_ id: TransferID) async throws(StoreError) -> Transfer {
        try await steered(client.store.ask(.pause, of: id, at: client.now))
    }

    /// See ``TransferAccess/resume(_:)``.
    package func resume(_ id: TransferID) async throws(StoreError) -> Transfer {
        try await steered(client.store.requeue(id, holder: nil, at: client.now))
    }

    /// See ``TransferAccess/resolve(_:as:)``.
    package func resolve(_ id: TransferID, as outcome: RequestOutcome) async throws(StoreError) -> Transfer {
        let transfer = try await client.store.resolve(id, as: outcome, at: client.now)
        do throws(StorageProblem) {
            try await client.seams.removeResidue(of: transfer)
        } catch {
            // An engine removes the copy of its body later.
        }
        return steered(transfer)
    }

    /// The transfers that failed only because this one, or one that comes after it, had not completed. In this order they
    /// can be queued again.
    package func failed(behind id: TransferID) async throws(StoreError) -> [TransferID] {
        var (found, open): (Set<TransferID>, [TransferID]) = ([], [id])
        while let next = open.popLast() {
            for other in try await client.store.dependents(of: next) where !found.contains(other) {
                guard case .failed(let failure)? = try await client.store.transfer(other)?.state,
                    failure.code == .dependencyFailed
                else { continue }
                found.insert(other)
                open.append(other)
            }
        }
        return found.sorted()
    }

    /// See ``TransferAccess/cancel(_:keepingPart:)``.
    package func cancel(_ id: TransferID, keepingPart: Bool = false) async throws -> Transfer {
        let transfer = try await client.snapshot(of: id)
        if transfer.state == .cancelled, transfer.residue != nil, transfer.claim == nil {
            if !keepingPart {
                try await client.seams.removeResidue(of: transfer)
                return transfer
            }
            if transfer.remover == .anyEngine {
                try await client.store.settleResidues(of: [id], as: .kept)
                return try await steered(client.snapshot(of: id))
            }
        }
        return try await steered(end(id, keepingPart: keepingPart))
    }

    /// See ``TransferAccess/edit(_:_:)``.
    package func edit(_ id: TransferID, _ edit: TransferEdit) async throws(StoreError) -> Transfer {
        try await steered(client.store.edit(id, edit, at: client.now))
    }

    /// See ``TransferAccess/remove(_:)``.
    package func remove(_ ids: [TransferID]) async throws {
        // Nothing is known of the part files of transfers whose rows are damaged.
        _ = try await client.store.transfers(ids)
        let damaged = Set(await client.damagedTransfers().map(\.id))
        let readable = ids.filter { !damaged.contains($0) }
        for id in readable {
            let transfer = try await client.snapshot(of: id)
            guard transfer.state.isFinal else {
                throw StoreError.notPossible(
                    id,
                    "Transfer \(id) is \(transfer.state.name), and not finished.",
                    [.cancel]
                )
            }
        }
        for id in readable { try await clear(id) }
        try await client.store.forget(ids)
    }

    /// Removes what a transfer has left for good, so that the transfer can be forgotten.
    private func clear(_ id: TransferID) async throws {
        let transfer = try await client.snapshot(of: id)
        switch transfer.state {
        case .failed: _ = try await end(id, keepingPart: false)
        case .cancelled, .completed: try await client.seams.removeResidue(of: transfer)
        case .queued, .active, .waiting, .paused: break
        }
    }

    /// Cancels a transfer and, when no process runs it, removes what it has left.
    ///
    /// Writes the row first, so that no process resumes with a file that is being removed. Holds it until the file is gone,
    /// so after a crash the next process that looks for dead owners removes the file.
    private func end(_ id: TransferID, keepingPart: Bool) async throws -> Transfer {
        let owner = try await client.ownership.join()
        let wish = Wish.cancel(keepingPart: keepingPart)
        return try await cleaned(client.store.ask(wish, of: id, holder: owner, at: client.now))
    }

    /// Removes what a transfer has left that was just cancelled for this process, together with something else. A running
    /// one is ended by its owner.
    func finishCancelling(_ id: TransferID) async throws {
        _ = try await steered(cleaned(client.snapshot(of: id)))
    }

    /// Removes what a cancelled transfer has left, and lets go of it.
    private func cleaned(_ cancelled: Transfer) async throws -> Transfer {
        guard cancelled.state == .cancelled, let claim = cancelled.claim else {
            try await client.seams.removeResidue(of: cancelled)
            return cancelled
        }
        var cleaned = cancelled
        var problem: StorageProblem?
        do throws(StorageProblem) {
            try await client.seams.removeResidue(of: cancelled)
            cleaned.settleResidue(as: .removed)
        } catch {
            problem = error
        }
        let settled: Transfer
        do throws(StoreError) {
            let settlement = Settlement(.cancelled, progress: cleaned.work.progress)
            settled = try await client.store.settle(claim, as: settlement, at: client.now)
        } catch .claimLost {
            // Another process took this one for dead, and has removed the residue.
            return cancelled
        }
        if let problem { throw problem }
        return settled
    }

    /// Runs `body` for each transfer of a selection, a page at a time so that they share commits. Skips transfers that ended
    /// or were removed meanwhile.
    ///
    /// - Parameter body: returns whether it changed the transfer.
    /// - Returns: the number of transfers for which `body` returned `true`.
    func each(
        of selection: TransferFilter,
        _ body: @escaping @Sendable (Transfer) async throws -> Bool
    ) async throws -> Int {
        var count = 0
        var last: TransferID?
        repeat {
            let page = try await client.transfers(selection, after: last, limit: ClientSeams.pageLength)
            count += try await together(page, body)
            last = page.count == ClientSeams.pageLength ? page.last?.id : nil
        } while last != nil
        return count
    }

    private func together(
        _ page: [Transfer],
        _ body: @escaping @Sendable (Transfer) async throws -> Bool
    ) async throws -> Int {
        let results = await withTaskGroup(of: Result<Bool, any Error>.self) { group in
            for transfer in page {
                group.addTask {
                    do {
                        return .success(try await body(transfer))
                    } catch StoreError.notPossible, StoreError.noSuchTransfer {
                        return .success(false)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return try results.count { try $0.get() }
    }

    private func steered(_ transfer: Transfer) -> Transfer {
        client.link?.changed(transfer)
        return transfer
    }
}
