public import FerryCore

/// Requests that must arrive.
///
/// A request is stored whole, waits where a download would wait, and is tried again on the same terms. That it is sent is
/// recorded before its first byte may leave. After that it is sent again only where HTTP allows it: with an
/// ``IdempotencyKey``, or with an idempotent method (RFC 9110 §9.2.2). Any other fails with
/// ``TransferFailure/Code/outcomeUnknown`` when no answer comes (I8).
extension TransferEngine {
    /// Sends a request, in this engine. Returns once it is durable (I3).
    ///
    /// Two equal requests are two: none is ever attached to another.
    ///
    /// - Parameters:
    ///   - queue: the line that it stands in; see ``queues()``.
    ///   - priority: higher runs first within that queue.
    ///   - others: the transfers that have to complete before it begins, whichever process runs them.
    ///   - tag: your own name for it, by which ``find(tag:)`` finds it again.
    /// - Throws: ``StoreError`` when it could not be recorded, and as
    ///   ``download(from:to:options:queue:priority:after:tag:)`` for `others`.
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
}
