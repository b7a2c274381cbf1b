public import FerryCore

/// Steering: pause, resume, cancel, change and remove transfers, in any process that runs them.
///
/// A request is written to the store. The process that runs the transfer obeys it within a quarter of a second.
extension TransferAccess {
    /// Checkpoints and stops a transfer until it is resumed.
    ///
    /// - Throws: ``StoreError/notPossible(_:_:_:)`` for a transfer that has ended.
    @discardableResult
    public func pause(_ id: TransferID) async throws(StoreError) -> Transfer {
        try await steering().pause(id)
    }

    /// Queues a paused, waiting or failed transfer again. A queued transfer keeps its place. For a running transfer, this
    /// withdraws a pause or a cancel that was not obeyed yet.
    ///
    /// - Throws: ``StoreError/notPossible(_:_:_:)`` for a completed or cancelled transfer, and for a request that may have
    ///   arrived and must not be repeated (``TransferFailure/Code/outcomeUnknown``).
    @discardableResult
    public func resume(_ id: TransferID) async throws(StoreError) -> Transfer {
        try await steering().resume(id)
    }

    /// Settles what became of a request or an upload with an unknown outcome
    /// (``TransferFailure/Code/outcomeUnknown``). It counts as completed, without a response, or is queued again. An upload then
    /// continues with the parts that its server still has.
    ///
    /// So does a failed request that may be repeated, and that an attempt has sent without getting an answer. It may also be
    /// resumed, which sends it again.
    ///
    /// - Throws: ``StoreError/notPossible(_:_:_:)`` for a transfer in any other state.
    @discardableResult
    public func resolve(
        _ id: TransferID,
        as outcome: RequestOutcome
    ) async throws(StoreError) -> Transfer {
        try await steering().resolve(id, as: outcome)
    }

    /// Ends a transfer for good, and removes its part file unless `keepingPart` is true. Called again, it removes a part file
    /// that could not be removed before.
    ///
    /// A part file that is kept is the user's. As long as the store knows the cancelled transfer, a new
    /// download of the same URL to the same destination resumes from it, unless it was moved, changed or sealed.
    ///
    /// - Throws: ``StoreError``, or ``StorageProblem`` when the part file cannot be removed; the transfer is
    ///   cancelled nevertheless.
    @discardableResult
    public func cancel(_ id: TransferID, keepingPart: Bool = false) async throws -> Transfer {
        try await steering().cancel(id, keepingPart: keepingPart)
    }

    /// Changes what a transfer is asked to do.
    ///
    /// - Throws: ``StoreError/notPossible(_:_:_:)`` for a change that this transfer cannot take.
    @discardableResult
    public func edit(_ id: TransferID, _ edit: TransferEdit) async throws(StoreError) -> Transfer {
        try await steering().edit(id, edit)
    }

    /// Pauses all unfinished transfers of a selection, until each is resumed.
    ///
    /// - Parameter selection: for example all of one queue or of one tag (``TransferFilter/of(queue:)``, ``TransferFilter/of(tag:)``).
    /// - Returns: the number of transfers that were paused, or are about to be.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func pauseAll(_ selection: TransferFilter = .unfinished) async throws -> Int {
        let steering = try await steering()
        return try await steering.each(of: selection) { transfer in
            guard transfer.state != .paused || transfer.isLeft else { return false }
            _ = try await steering.pause(transfer.id)
            return true
        }
    }

    /// Queues all paused, waiting and failed transfers of a selection again.
    ///
    /// - Returns: the number of transfers that were queued.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func resumeAll(_ selection: TransferFilter = .unfinishedOrFailed) async throws -> Int {
        let steering = try await steering()
        return try await steering.each(of: selection) { transfer in
            switch transfer.state {
            case .queued, .active, .completed, .cancelled: return false
            case .waiting, .paused, .failed: break
            }
            _ = try await steering.resume(transfer.id)
            return true
        }
    }

    /// Cancels all unfinished transfers of a selection, and removes their part files.
    ///
    /// - Returns: the number of transfers that were cancelled, or are about to be.
    /// - Throws: as ``cancel(_:keepingPart:)``, after the others of the same page were cancelled.
    @discardableResult
    public func cancelAll(_ selection: TransferFilter = .unfinished) async throws -> Int {
        let steering = try await steering()
        return try await steering.each(of: selection) { transfer in
            guard !transfer.state.isFinal else { return false }
            _ = try await steering.cancel(transfer.id)
            return true
        }
    }

    /// Removes ended transfers from the store; if one of them is unfinished, removes none. Finished files stay. The part files
    /// of failed transfers are deleted first. If a part file cannot be deleted, no transfer is removed, and those whose part
    /// file is already gone are cancelled.
    ///
    /// - Throws: ``StoreError``, with ``StoreError/notPossible(_:_:_:)`` for an unfinished transfer; ``StorageProblem`` when a part
    ///   file cannot be deleted.
    public func remove(_ ids: [TransferID]) async throws {
        try await steering().remove(ids)
    }

    /// Removes from the store those of some downloads that were refused because something has their names, and that no
    /// other caller needs. Decides and removes in one step, so that none is lost that is requested again meanwhile.
    package func forgetRefused(_ ids: [TransferID]) async throws(StoreError) {
        for id in try await client.store.forgetRefused(ids) { client.link?.hub.forget(id) }
    }

    /// Removes from the store the oldest completed transfers, and the oldest cancelled ones without a part file, that
    /// `retention` does not keep. Also removes old downloads that failed without a byte (``Retention/emptyFailureAge``). A running
    /// engine does so by itself; see ``EngineConfiguration/retention``.
    ///
    /// - Returns: the number of transfers that were removed.
    @discardableResult
    public func prune(_ retention: Retention) async throws(StoreError) -> Int {
        var count = 0
        while true {
            let forgotten = try await client.store.prune(
                retention,
                upTo: Pruner.length,
                at: client.now
            )
            count += forgotten.count
            for id in forgotten { client.link?.hub.forget(id) }
            if forgotten.count < Pruner.length { return count }
        }
    }

    /// Frees the transfers of dead processes, so that they are shown as queued, with their bytes.
    ///
    /// A running engine does so by itself every two seconds, and each call that steers a transfer does so first.
    package func rescueTheDead() async throws(StoreError) {
        try await client.ownership.rescueTheDead()
    }

    /// Frees transfers whose owners cannot be proved alive or dead, because a person says that they are gone. Withdraws
    /// pauses and cancels that such an owner did not obey. If such an owner is still alive, it loses these claims and
    /// stops their attempts (I4). An owner that is proved alive keeps its transfers.
    package func takeOver(_ ids: [TransferID]) async throws(StoreError) {
        try await client.ownership.takeOver(ids)
    }

    /// Steers many transfers after one search for dead owners.
    package func steering() async throws(StoreError) -> TransferSteering {
        try await TransferSteering(client)
    }
}
