/// A transfer in the line of its queue.
extension Transfer {
    /// Whether it goes on to stand before all that wait in its queue, once it does: as long as it has not waited for
    /// anything else, and not been stopped.
    public var keepsFront: Bool { state == .queued || state == .active }

    /// A transfer that stood before this one in a strict queue has failed: `queued`, `waiting` or `paused` → `failed`. One that
    /// runs began in order, and goes on.
    ///
    /// - Parameter failure: as ``failureBehind(_:in:_:)`` gives it.
    /// - Returns: whether it failed by it.
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

    /// Why those fail that stood behind a transfer in a strict queue.
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
            hint: "`ferry retry \(id)` retries that one; then `ferry retry {id}`.",
            cause: failure.cause ?? failure.code
        )
    }
}
