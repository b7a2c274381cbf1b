/// The line of a strict queue: its transfers by their places, without those that are over. A failed one is over only where those
/// behind it fail with it.
extension TransferQueue {
    /// Whether a transfer in this state stands in the line of this queue, which is strict.
    package func keepsInLine(_ state: TransferState) -> Bool {
        switch state {
        case .queued, .active, .waiting, .paused: true
        case .failed: onFailure == .hold
        case .completed, .cancelled: false
        }
    }

    /// The first of a strict queue, which alone may run: as many as it has slots.
    ///
    /// - Parameter transfers: its transfers in any order, also those that are over.
    package func front(of transfers: [(place: LinePlace, state: TransferState)]) -> [TransferID] {
        let line = transfers.filter { keepsInLine($0.state) }.map(\.place).sorted()
        return line.prefix(slots).map(\.id)
    }
}

extension TransferState {
    /// Whether a transfer in front of a strict queue lets those behind it hope: it runs, could run, or waits for a moment that
    /// will come. Any other holds its queue, until the network, a person or another transfer ends that.
    package var movesItsLine: Bool {
        switch self {
        case .queued, .active, .waiting(.retry), .waiting(.window): true
        case .waiting, .paused, .completed, .failed, .cancelled: false
        }
    }
}

extension Transfer {
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
            hint: "`ferry retry \(id)` tries that again; then `ferry retry {id}`.",
            cause: failure.cause ?? failure.code
        )
    }
}
