/// The line of a strict queue: its unfinished transfers, by their places. A failed one stays in line unless those
/// behind it fail with it.
extension TransferQueue {
    /// Whether a transfer in this state has a place in the line of this queue. Only a strict queue has a line.
    package func keepsInLine(_ state: TransferState) -> Bool {
        guard order == .strict else { return false }
        return switch state {
        case .queued, .active, .waiting, .paused: true
        case .failed: onFailure == .hold
        case .completed, .cancelled: false
        }
    }

    /// The first transfers of a strict queue, as many as it has slots. Only these may run.
    ///
    /// - Parameter transfers: its transfers in any order, including finished ones.
    package func front(of transfers: [(place: LinePlace, state: TransferState)]) -> [TransferID] {
        let line = transfers.filter { keepsInLine($0.state) }.map(\.place).sorted()
        return line.prefix(slots).map(\.id)
    }
}

extension TransferState {
    /// Whether a transfer at the front of a strict queue keeps its line moving: it runs, could run, or waits for a
    /// moment that will come. Any other transfer blocks its queue until the network, a person or another transfer
    /// changes that.
    package var movesItsLine: Bool {
        switch self {
        case .queued, .active, .waiting(.retry), .waiting(.window): true
        case .waiting, .paused, .completed, .failed, .cancelled: false
        }
    }
}
