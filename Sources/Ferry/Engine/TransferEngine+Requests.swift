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
    /// Two equal requests are two transfers: no request is attached to another.
    ///
    /// - Parameters:
    ///   - queue: the queue to add it to; see ``queues()``.
    ///   - priority: higher runs first within that queue.
    ///   - others: the transfers that must complete before it starts, in any process.
    ///   - tag: your own name for it, by which ``find(tag:)`` finds it again.
    ///   - payload: your own data for it, which is stored with it.
    ///   - uuid: a name that you have made, if the call may be repeated: under one UUID a transfer is stored once, and
    ///     runs once. A later call with the same UUID changes nothing, whatever the state of the transfer.
    /// - Throws: ``StoreError`` when it could not be recorded, and for `others` as
    ///   ``download(from:to:options:queue:priority:after:tag:payload:uuid:)``.
    public func send(
        _ request: RequestSpecification,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after others: [TransferID] = [],
        tag: TransferTag? = nil,
        payload: TransferPayload? = nil,
        uuid: TransferUUID? = nil
    ) async throws(StoreError) -> TransferHandle {
        let new = NewTransfer(
            request,
            queue: queue,
            priority: priority,
            after: others,
            tag: tag,
            payload: payload,
            uuid: uuid
        )
        return transfer(try await download([new])[0].transfer.id)
    }
}
