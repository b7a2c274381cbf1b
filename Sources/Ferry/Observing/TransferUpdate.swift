public import FerryCore

/// A change of a transfer.
public struct TransferUpdate: Hashable, Sendable {
    /// The transfer as it is now.
    public var transfer: Transfer
    /// The progress of the transfer.
    public var progress: TransferProgress
    /// Messages for the user, in order: a resumption and its evidence, or a restart and its reason.
    public var notes: [String]

    /// Creates an update.
    public init(transfer: Transfer, progress: TransferProgress, notes: [String] = []) {
        self.transfer = transfer
        self.progress = progress
        self.notes = notes
    }
}

/// The updates of some transfers, coalesced. A slow observer gets the latest update of each transfer and every note,
/// never a backlog. No final state is lost.
public struct TransferUpdates: AsyncSequence, Sendable {
    let buffer: UpdateBuffer

    /// Iterates over updates until the task is cancelled or the engine has stopped.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let buffer: UpdateBuffer

        /// The next update; `nil` when there are no more.
        public mutating func next() async -> TransferUpdate? {
            await buffer.next()
        }
    }

    /// Starts iterating. Only one iterator at a time gets updates.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(buffer: buffer)
    }
}
