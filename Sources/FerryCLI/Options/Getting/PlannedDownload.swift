import Ferry

/// A download that the command line asks for.
struct PlannedDownload: Hashable, Sendable {
    /// What it is asked to do.
    var specification: DownloadSpecification
    /// The line that it shall stand in.
    var queue: String
    /// Higher runs first.
    var priority: Int
    /// The transfers that have to complete before it begins.
    var after: [TransferID]
    /// The name that the user gives it.
    var tag: TransferTag?

    /// The transfer to add for it.
    var transfer: NewTransfer {
        var transfer = NewTransfer(specification, queue: queue, priority: priority, after: after)
        transfer.tag = tag
        return transfer
    }
}
