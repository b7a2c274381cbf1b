public import FerryCore

/// Requests that must arrive.
///
/// A request is stored whole, waits like a download, and is retried on the same terms. The store records that it is
/// sent before its first byte may leave. After that it is sent again only where HTTP allows it: with an
/// ``IdempotencyKey``, or with an idempotent method (RFC 9110 §9.2.2). Any other request fails with
/// ``TransferFailure/Code/outcomeUnknown`` when no answer comes (I8).
extension TransferEngine {
    /// Sends a request, in this engine. Returns once it is durable (I3).
    ///
    /// Two equal requests stay two: no request is attached to another.
    ///
    /// - Parameters:
    ///   - queue: the queue to add it to; see ``queues()``.
    ///   - priority: higher runs first within that queue.
    ///   - others: the transfers that must complete before it starts, in any process.
    ///   - tag: your own name for it, by which ``find(tag:)`` finds it again.
    /// - Throws: ``StoreError`` when it could not be recorded, and for `others` as
    ///   ``download(from:to:options:queue:priority:after:tag:)``.
    public func send(
        _ request: RequestSpecification,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after others: [TransferID] = [],
        tag: TransferTag? = nil
    ) async throws(StoreError) -> TransferHandle {
        var new = NewTransfer(request, queue: queue, priority: priority, after: others)
        new.tag = tag
        return transfer(try await download([new])[0].transfer.id)
    }

    /// Adds a request for any process that runs the queue. It is durable when this returns (I3).
    ///
    /// - Throws: as ``send(_:queue:priority:after:tag:)``.
    @discardableResult
    public func add(
        _ request: RequestSpecification,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after others: [TransferID] = [],
        tag: TransferTag? = nil
    ) async throws(StoreError) -> TransferHandle {
        var new = NewTransfer(request, queue: queue, priority: priority, after: others)
        new.tag = tag
        return transfer(try await add([new])[0].transfer.id)
    }
}

extension TransferHandle {
    /// Waits for the response to a request, also after a restart. The engine must be running.
    ///
    /// - Returns: the response, which is stored with the transfer.
    /// - Throws: as ``value()``. A request that the server refused throws a ``TransferFailure``; its response is in
    ///   ``snapshot``.
    public func response() async throws -> StoredResponse {
        try await result { try $0.completion?.request?.progress.response }
    }
}
