public import FerryCore

extension Transfer {
    /// How far the transfer had come when its progress was last recorded.
    public var recordedProgress: TransferProgress {
        // The part file of a cancelled one is gone, or about to be.
        return TransferProgress(
            received: residue != nil ? 0 : work.progress.received,
            total: work.progress.total
        )
    }
}
