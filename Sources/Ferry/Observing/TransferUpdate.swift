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
