public import FerryCore

/// A handle to one transfer of an engine: watch it, steer it, await its end. After a restart, any process that opens
/// the same store can get it again by ID.
public struct TransferHandle: Sendable, Identifiable {
    /// The transfer's ID.
    public let id: TransferID
    let engine: TransferEngine
    /// The caller's share in the transfer; `nil` for a handle by ID, which speaks for all callers.
    let stake: CallerStake?

    init(id: TransferID, engine: TransferEngine, stake: CallerStake? = nil) {
        self.id = id
        self.engine = engine
        self.stake = stake
    }

    /// The transfer as the store holds it.
    ///
    /// - Throws: ``StoreError``; ``StoreError/noSuchTransfer(_:)`` when the transfer was removed.
    public var snapshot: Transfer {
        get async throws(StoreError) { try await engine.snapshot(of: id) }
    }

    /// The transfer's progress: live if this engine runs it, otherwise as last recorded.
    public var progress: TransferProgress {
        get async throws(StoreError) { try await engine.progress(of: id) }
    }

    /// The transfer's updates, beginning with the present state. The engine must be running.
    public var events: TransferUpdates { engine.updates(of: [id]) }

    /// Waits for the end, also after a restart. The engine must be running.
    ///
    /// - Returns: the finished download.
    /// - Throws: ``TransferFailure`` when it failed; ``NoDownload`` when it was cancelled, or the engine stopped
    ///   before it ended; `CancellationError` when this task was cancelled; ``StoreError`` when the store cannot be
    ///   read or the transfer is not in it.
    public func value() async throws -> CompletedDownload {
        try await result { transfer in
            try transfer.completion.flatMap { end in end.download.map { CompletedDownload($0, of: end) } }
        }
    }

    /// Waits for the end of the transfer, and returns its result.
    ///
    /// - Parameter result: reads the result from a transfer; `nil` as long as it is not over.
    func result<Value>(_ result: (Transfer) throws -> Value?) async throws -> Value {
        let updates = events
        stake?.end(updates)
        for await update in updates {
            if let value = try result(update.transfer) { return value }
        }
        // The updates ended: this task was cancelled, the engine has stopped, or the transfer is gone.
        try Task.checkCancellation()
        if stake?.isWithdrawn == true { throw NoDownload.cancelled(id) }
        if let value = try result(await snapshot) { return value }
        throw NoDownload.engineStopped(id)
    }

    /// Checkpoints and stops the transfer, until it is resumed.
    public func pause() async throws { try await engine.pause(id) }

    /// Resumes the transfer after a pause or a failure, or ends its wait early.
    public func resume() async throws { try await engine.resume(id) }

    /// Ends the transfer for good, and removes its part file unless it is to be kept.
    ///
    /// If other callers have asked this engine for the same download
    /// (``TransferEngine/download(from:to:options:queue:priority:after:tag:)``), it continues for them, and only this
    /// caller sees it cancelled; the last caller ends it. A handle by ID (``TransferEngine/transfer(_:)``) ends it
    /// for all callers.
    public func cancel(keepingPart: Bool = false) async throws {
        if let stake {
            if stake.isWithdrawn { return }
            if engine.hub.callers.withdraw(from: id, stake.identity) { return stake.withdraw() }
        }
        try await engine.cancel(id, keepingPart: keepingPart)
    }
}

extension Transfer {
    /// The transfer if it is completed; `nil` while it is not over.
    ///
    /// - Throws: as ``TransferHandle/value()``, when it will not be completed.
    var completion: Transfer? {
        get throws {
            switch state {
            case .completed: self
            case .failed(let failure): throw failure
            case .cancelled:
                throw displacement.map { NoDownload.gaveWay(id, $0) } ?? NoDownload.cancelled(id)
            case .queued, .active, .waiting, .paused: nil
            }
        }
    }
}

extension CompletedDownload {
    init(_ download: DownloadWork, of transfer: Transfer) {
        id = transfer.id
        length = download.progress.segments.received
        assurance = download.progress.assurance
        path = transfer.finalPath
    }
}
