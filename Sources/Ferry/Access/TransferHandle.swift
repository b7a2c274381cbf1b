public import FerryCore

/// A hold on one transfer of an engine: watch it, steer it, await its end. It can be had again by number after a
/// restart, in any process that opens the same store.
public struct TransferHandle: Sendable, Identifiable {
    /// The transfer's number.
    public let id: TransferID
    let client: TransferClient
    /// What its caller has in the transfer; `nil` for a hold that was had by number, which speaks for all.
    let stake: CallerStake?

    init(id: TransferID, client: TransferClient, stake: CallerStake? = nil) {
        self.id = id
        self.client = client
        self.stake = stake
    }

    /// The transfer as the store holds it.
    ///
    /// - Throws: ``StoreError``, ``StoreError/noSuchTransfer(_:)`` when it was removed.
    public var snapshot: Transfer {
        get async throws(StoreError) { try await client.snapshot(of: id) }
    }

    /// How far it has come; live when this engine runs it, else as last recorded.
    public var progress: TransferProgress {
        get async throws(StoreError) { try await client.progress(of: id) }
    }

    /// Its updates, beginning with the present state. The engine must be running.
    public var events: TransferUpdates { client.updates(of: [id]) }

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

    /// Waits for the end of the transfer, and takes what has come of it.
    ///
    /// - Parameter result: what a transfer has come to; `nil` as long as it is not over.
    func result<Value>(_ result: (Transfer) throws -> Value?) async throws -> Value {
        let updates = events
        if case .engine(let buffer) = updates.source { stake?.end(buffer) }
        for await update in updates {
            if let value = try result(update.transfer) { return value }
        }
        // There will be no more updates: this task was cancelled, the engine has stopped, or the transfer is gone.
        try Task.checkCancellation()
        if stake?.isWithdrawn == true { throw NoDownload.cancelled(id) }
        if let value = try result(await snapshot) { return value }
        throw NoDownload.engineStopped(id)
    }

    /// Waits for the response to a request, also after a restart. The engine must be running.
    ///
    /// - Returns: the response, which is stored with the transfer.
    /// - Throws: as ``value()``; a request that the server refused throws a ``TransferFailure``, and its response is in
    ///   ``snapshot``.
    public func response() async throws -> StoredResponse {
        try await result { try $0.completion?.request?.progress.response }
    }

    /// Checkpoints and stops it, until it is resumed.
    public func pause() async throws { try await client.pause(id) }

    /// Lets it go on after a pause, a failure, or a wait that is to be cut short.
    public func resume() async throws { try await client.resume(id) }

    /// Ends it for good, and removes its part file unless that is to be kept.
    ///
    /// Where others have asked this engine for the same download (``TransferEngine/download(from:to:options:queue:priority:after:tag:)``), it goes
    /// on for them, and only what this caller waits for ends as cancelled; the last one ends it. A hold that was had by
    /// number (``TransferEngine/transfer(_:)``) ends it for all.
    public func cancel(keepingPart: Bool = false) async throws {
        if let stake {
            if stake.isWithdrawn { return }
            if client.link?.hub.callers.withdraw(from: id, stake.identity) == true { return stake.withdraw() }
        }
        try await client.cancel(id, keepingPart: keepingPart)
    }
}

extension Transfer {
    /// The transfer, when it is completed; `nil` while it is not over.
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
