package import Ferry

/// A download requested on the command line.
package struct PlannedDownload: Hashable, Sendable {
    /// The specification of the download.
    package var specification: DownloadSpecification
    /// The queue to add it to.
    var queue: String
    /// Higher runs first.
    var priority: Int
    /// The transfers that must complete before it starts.
    var after: [TransferID]
    /// The user's name for it.
    var tag: TransferTag?

    /// The transfer to add.
    package var transfer: NewTransfer {
        NewTransfer(specification, queue: queue, priority: priority, after: after, tag: tag)
    }
}
