public import FerryCore

/// Something about a transfer changed.
public struct TransferUpdate: Hashable, Sendable {
    /// The transfer as it is now.
    public var transfer: Transfer
    /// How far it has come.
    public var progress: TransferProgress
    /// What the user should be told, in order: a resumption and what it rests on, a start over and why.
    public var notes: [String]

    /// Creates an update.
    public init(transfer: Transfer, progress: TransferProgress, notes: [String] = []) {
        self.transfer = transfer
        self.progress = progress
        self.notes = notes
    }
}

/// The updates of some transfers, coalesced: an observer that is slow gets the latest of each transfer and every
/// note, never a backlog, and no final state is lost.
public struct TransferUpdates: AsyncSequence, Sendable {
    let buffer: UpdateBuffer

    /// Iterates over updates until the task is cancelled or the engine has stopped.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let buffer: UpdateBuffer

        /// The next update; `nil` when there will be no more.
        public mutating func next() async -> TransferUpdate? {
            await buffer.next()
        }
    }

    /// Starts iterating. Only one iterator at a time gets updates.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(buffer: buffer)
    }
}
