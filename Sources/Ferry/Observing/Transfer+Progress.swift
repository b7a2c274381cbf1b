public import FerryCore

extension Transfer {
    /// The progress of the transfer as last recorded.
    public var recordedProgress: TransferProgress {
        // The part file of a cancelled transfer is removed, or about to be.
        return TransferProgress(
            received: residue != nil ? 0 : work.progress.received,
            total: work.progress.total
        )
    }
}
