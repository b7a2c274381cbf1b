public import FerryCore

/// A change of a transfer.
public struct TransferUpdate: Hashable, Sendable {
    /// The transfer as it is now.
    public var transfer: Transfer
    /// The progress of the transfer.
    public var progress: TransferProgress
    /// Messages for the user, in order: a resumption and its evidence, or a restart and its reason.
    public var notes: [TransferNote]

    /// Creates an update.
    public init(transfer: Transfer, progress: TransferProgress, notes: [TransferNote] = []) {
        self.transfer = transfer
        self.progress = progress
        self.notes = notes
    }
}
