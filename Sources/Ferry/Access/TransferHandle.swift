public import FerryCore

/// A handle to one transfer of an engine: watch it, steer it, await its end. After a restart, any process that opens
/// the same store can get it again by ID.
public struct TransferHandle: Sendable, Identifiable {
    /// The transfer's ID.
    public let id: TransferID
    let client: TransferClient
    /// The caller's share in the transfer; `nil` for a handle by ID, which speaks for all callers.
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

    /// The transfer's updates, beginning with the present state. The engine must be running.
    public var events: TransferUpdates { client.updates(of: [id]) }

    /// Waits for the end, also after a restart. The engine must be running.
    ///
    /// - Returns: the finished download.
    /// - Throws: ``TransferFailure`` when it failed; ``NoDownload`` when it was cancelled, or the engine stopped
    ///   before it ended; `CancellationError` when this task was cancelled; ``StoreError`` when the store cannot be
    ///   read or the transfer is not in it.
    public func value() async throws -> CompletedDownload {
        try await end { result in if case .download(let download) = result { download } else { nil } }
    }

    /// Waits for the end of the transfer.
    ///
    /// - Parameter value: what its result holds of what is waited for; `nil` for a result of another kind.
    private func end<Value>(_ value: (TransferResult) -> Value?) async throws -> Value {
        let updates = events
        if case .engine(let buffer) = updates.source { stake?.end(buffer) }
        for await update in updates {
            if let value = try update.transfer.completion.flatMap(value) { return value }
        }
        // No more updates: this task was cancelled, the engine has stopped, or the transfer is gone.
        try Task.checkCancellation()
        if stake?.isWithdrawn == true { throw NoDownload.cancelled(id) }
        if let value = try await snapshot.completion.flatMap(value) { return value }
        throw NoDownload.engineStopped(id)
    }

    /// Waits for the response to a request, also after a restart. The engine must be running.
    ///
    /// - Returns: the response, which is stored with the transfer.
    /// - Throws: as ``value()``. A request that the server refused throws a ``TransferFailure``; its response is in
    ///   ``snapshot``.
    public func response() async throws -> StoredResponse {
        try await end { result in if case .request(let response) = result { response } else { nil } }
    }

    /// Checkpoints and stops the transfer, until it is resumed.
    public func pause() async throws { try await client.pause(id) }

    /// Resumes the transfer after a pause or a failure, or ends its wait early.
    public func resume() async throws { try await client.resume(id) }

    /// Ends the transfer for good, and removes its part file unless `keepingPart` is true.
    ///
    /// If other callers have asked this engine for the same download
    /// (``TransferEngine/download(from:to:options:queue:priority:after:tag:)``), it continues for them, and only this
    /// caller sees it cancelled; the last caller ends it. A handle by ID (``TransferAccess/transfer(_:)``) ends it
    /// for all callers.
    public func cancel(keepingPart: Bool = false) async throws {
        if let stake {
            if stake.isWithdrawn { return }
            if client.link?.hub.callers.withdraw(from: id, stake.identity) == true { return stake.withdraw() }
        }
        try await client.cancel(id, keepingPart: keepingPart)
    }
}

extension Transfer {
    /// Its result; `nil` while it is unfinished.
    ///
    /// - Throws: as ``TransferHandle/value()``, when it will not be completed.
    fileprivate var completion: TransferResult? {
        get throws {
            switch state {
            case .completed: result
            case .failed(let failure): throw failure
            case .cancelled:
                throw displacement.map { NoDownload.gaveWay(id, $0) } ?? NoDownload.cancelled(id)
            case .queued, .active, .waiting, .paused: nil
            }
        }
    }
}
