public import FerryCore

/// A handle to one transfer of an engine: watch it, steer it, await its end. After a restart, any process that opens
/// the same store can get it again by ID.
public struct TransferHandle: Sendable, Identifiable {
    /// The transfer's ID.
    public let id: TransferID
    let client: TransferClient
    /// The caller's share in the transfer; `nil` for a handle by ID, which acts for all callers.
    let stake: CallerStake?

    init(id: TransferID, client: TransferClient, stake: CallerStake? = nil) {
        self.id = id
        self.client = client
        self.stake = stake
    }

    /// The transfer as the store holds it.
    ///
    /// - Throws: ``StoreError``; ``StoreError/noSuchTransfer(_:)`` when the transfer was removed.
    public var snapshot: Transfer {
        get async throws(StoreError) { try await client.snapshot(of: id) }
    }

    /// The transfer's progress: live if this engine runs it, otherwise as last recorded.
    public var progress: TransferProgress {
        get async throws(StoreError) { try await client.progress(of: id) }
    }

    /// The transfer's updates, beginning with the present state. They end when the task is cancelled or the engine has
    /// stopped; through a client without an engine, also after a final state.
    public var events: TransferUpdates { client.updates(of: [id]) }

    /// Waits for the end of a download, also after a restart.
    ///
    /// Some process must run the queue: this engine, or an engine of another process. Until then it waits.
    ///
    /// - Returns: the finished download.
    /// - Throws: ``TransferFailure`` when it failed; ``NoResult`` when it was cancelled, when it is no download, or when the
    ///   engine stopped before it ended; `CancellationError` when this task was cancelled; ``StoreError`` when the store
    ///   cannot be read or the transfer is not in it. Through a client without an engine,
    ///   ``NoResult/engineStopped(_:)`` says that the client was closed or could not read the store.
    public func value() async throws -> CompletedDownload {
        try await end { transfer in
            guard let download = transfer.download else { throw NoResult.otherKind(id, transfer.kind) }
            return CompletedDownload(download, of: transfer)
        }
    }

    /// Waits for the response to a request, also after a restart.
    ///
    /// - Returns: the response, which is stored with the transfer.
    /// - Throws: as ``value()``. A request that the server refused throws a ``TransferFailure``; what the server answered
    ///   is in ``Transfer/response`` of the ``snapshot``.
    public func response() async throws -> StoredResponse {
        try await end { transfer in
            guard let request = transfer.request else { throw NoResult.otherKind(id, transfer.kind) }
            return request.progress.response
        }
    }

    /// Waits for the end of a transfer of any kind, also after a restart.
    ///
    /// - Throws: as ``value()``.
    public func result() async throws -> TransferResult { try await end { $0.result } }

    /// Waits for the end of the transfer.
    ///
    /// - Parameter read: returns the result of a completed transfer; throws for a kind that has no such result.
    private func end<Value: Sendable>(_ read: (Transfer) throws -> Value?) async throws -> Value {
        let updates = events
        if case .engine(let buffer) = updates.source { stake?.end(buffer) }
        for await update in updates {
            if let result = try update.transfer.completion(read) { return result }
        }
        // No more updates: this task was cancelled, the engine has stopped, or the transfer is gone.
        try Task.checkCancellation()
        if stake?.isWithdrawn == true { throw NoResult.cancelled(id) }
        if let result = try await snapshot.completion(read) { return result }
        throw NoResult.engineStopped(id)
    }

    /// Checkpoints and stops the transfer, until it is resumed.
    ///
    /// - Throws: as ``TransferAccess/pause(_:)``.
    public func pause() async throws { try await client.pause(id) }

    /// Resumes the transfer after a pause or a failure, or ends its wait early.
    ///
    /// - Throws: as ``TransferAccess/resume(_:)``.
    public func resume() async throws { try await client.resume(id) }

    /// Ends the transfer for good, and removes its part file unless `keepingPart` is true.
    ///
    /// If other callers have asked this engine for the same download
    /// (``TransferEngine/download(from:to:options:queue:priority:after:tag:payload:uuid:)``), it continues for them, and
    /// only this caller sees it cancelled; the last caller ends it. A handle by ID (``TransferAccess/transfer(_:)``) ends
    /// it for all callers.
    ///
    /// - Throws: as ``TransferAccess/cancel(_:keepingPart:)``.
    public func cancel(keepingPart: Bool = false) async throws {
        if let stake {
            if stake.isWithdrawn { return }
            if client.link?.hub.callers.withdraw(from: id, stake.identity) == true { return stake.withdraw() }
        }
        try await client.cancel(id, keepingPart: keepingPart)
    }
}

extension Transfer {
    /// The result of `read`; `nil` while the transfer is unfinished.
    ///
    /// - Throws: as ``TransferHandle/value()``, when it will not be completed or is of another kind.
    fileprivate func completion<Value>(_ read: (Transfer) throws -> Value?) throws -> Value? {
        // A wrong kind throws at once, in any state.
        let value = try read(self)
        switch state {
        case .completed:
            guard let value else { throw NoResult.responseLost(id) }
            return value
        case .failed(let failure): throw failure
        case .cancelled: throw displacement.map { NoResult.gaveWay(id, $0) } ?? NoResult.cancelled(id)
        case .queued, .active, .waiting, .paused: return nil
        }
    }
}
