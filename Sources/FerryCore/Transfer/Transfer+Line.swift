/// A transfer in the line of its queue.
extension Transfer {
    /// Whether it keeps a place before all that wait in its queue. It loses that place when it waits for something else
    /// or is stopped.
    package var keepsFront: Bool { state == .queued || state == .active }

    /// A transfer before this one in a strict queue has failed: `queued`, `waiting` or `paused` → `failed`. A running
    /// transfer began in order and continues.
    ///
    /// - Parameter failure: the result of ``failureBehind(_:in:_:)``.
    /// - Returns: whether this transfer failed.
    package mutating func headFailed(_ failure: TransferFailure, at now: Instant) -> Bool {
        switch state {
        case .queued, .waiting, .paused:
            enter(.failed(failure), at: now)
            claim = nil
            return true
        case .active, .completed, .failed, .cancelled:
            return false
        }
    }

    /// Returns why the transfers behind a failed one in a strict queue fail.
    ///
    /// - Parameters:
    ///   - id: the transfer that has failed.
    ///   - failure: why it has failed.
    package static func failureBehind(
        _ id: TransferID,
        in queue: String,
        _ failure: TransferFailure
    ) -> TransferFailure {
        TransferFailure(
            .headFailed,
            "Transfer \(id), which stood before it in queue \(queue), has failed. \(failure.message)",
            remedies: failure.code.needsResolution ? [.retry] : [.retryInOrder(after: id), .retry],
            cause: failure.cause ?? failure.code
        )
    }
}
