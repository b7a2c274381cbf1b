package import Ferry

/// A download requested on the command line.
package struct PlannedDownload: Hashable, Sendable {
    /// The specification of the download.
    package var specification: DownloadSpecification
    /// The queue to add it to.
    package var queue: String
    /// Higher runs first.
    package var priority: Int
    /// The transfers that must complete before it starts.
    package var after: [TransferID]
    /// The user's name for it.
    package var tag: TransferTag?

    /// The transfer to add.
    package var transfer: NewTransfer {
        var transfer = NewTransfer(specification, queue: queue, priority: priority, after: after)
        transfer.tag = tag
        return transfer
    }
}
