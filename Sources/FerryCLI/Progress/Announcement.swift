import Ferry
import FerryFrontend

/// A change of a transfer that deserves a line.
struct Announcement: Hashable, Sendable {
    /// The transfer as it is now.
    var transfer: Transfer
    /// The progress of the transfer.
    var progress: TransferProgress
    /// The change.
    var news: News
    /// The transfer that already has the name which this one asked for.
    var rival: Transfer?
    /// The completed transfer that saved the existing file of that name, if the file was changed since.
    var former: TransferID?
    /// The completed transfer that saved the existing file of that name after this one was added.
    var twin: TransferID?
    /// The command whose line is repeated to ask for it again.
    var command = RepeatedCommand.adding
    /// What shows that the file of a complete download is the one asked for; `nil` if no digest was asked for.
    private(set) var proof: Proof?
    /// Whether its queue is paused.
    private(set) var isQueuePaused = false
    /// The failed transfer that holds its queue, which is strict.
    private(set) var heldBy: TransferID?

    /// A change of a transfer.
    enum News: Hashable, Sendable {
        /// The transfer is new.
        case added
        /// The transfer already existed, with the bytes it has received.
        case attached(process: Int32?)
        /// The engine explains an event.
        case note(TransferNote)
        /// The transfer has progressed.
        case progress
        /// The transfer changed its state; `took` is the duration of a completed one, if known.
        case state(took: Duration?)
    }

    /// Whether its line says that the transfer is already complete, so that its end needs no other.
    var saysItIsComplete: Bool {
        if case .attached = news { transfer.state == .completed } else { false }
    }

    init(_ transfer: Transfer, _ progress: TransferProgress, _ news: News) {
        self.transfer = transfer
        self.progress = progress
        self.news = news
    }

    /// What shows that a file is the one asked for.
    struct Proof: Hashable, Sendable {
        /// The digest asked for, which the file has.
        var digest: Checksum
        /// Whether the file was read to check that. A sealed one cannot be read without its key: it had the digest when it was
        /// saved, and is unchanged.
        var isRead: Bool
    }

    /// Notes what was asked for. A download counts as complete already only if its file has the digest.
    mutating func note(asked options: DownloadOptions) {
        guard saysItIsComplete, let digest = options.checksum else { return }
        proof = Proof(digest: digest, isRead: !options.isSealed)
    }

    /// Notes what keeps its queue from starting it.
    mutating func note(_ stops: QueueStops) {
        isQueuePaused = stops.paused.contains(transfer.queue)
        heldBy = transfer.state == .queued ? stops.holders[transfer.queue] : nil
    }
}
