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
