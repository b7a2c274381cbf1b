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
    /// Whether it is recorded paused.
    package var isPaused = false
    /// Whether the caller names a rate limit of its own for it, which may be off.
    var namesRateLimit = false
    /// Whether the caller names a time window, which may be off.
    var namesWindow = false
    /// Its line in the list; `nil` if it is not from the list.
    var line: Int?

    /// Whether it has mirrors, and no digest shows that they have the same file.
    var hasUnverifiedMirrors: Bool {
        !specification.options.mirrors.isEmpty && specification.options.checksum == nil
    }

    /// The transfer to add.
    package var transfer: NewTransfer {
        var new = NewTransfer(specification, queue: queue, priority: priority, after: after, tag: tag)
        new.isPaused = isPaused
        if namesRateLimit { new.namedRateLimit = specification.options.rateLimit }
        if namesWindow { new.namedWindow = specification.options.window }
        return new
    }
}
