import Ferry

/// Something new about a transfer that is worth a line.
struct Announcement: Hashable, Sendable {
    /// The transfer as it is now.
    var transfer: Transfer
    /// How far it has come.
    var progress: TransferProgress
    /// What is new.
    var news: News
    /// Another transfer, which has the name that this one did not get.
    var rival: Transfer?

    /// What is new about a transfer.
    enum News: Hashable, Sendable {
        /// It is a new transfer.
        case added
        /// It was there already, with what it has received.
        case attached(process: Int32?)
        /// The engine explains something.
        case note(String)
        /// It has come further.
        case progress
        /// It is in another state; a completed one took so long, when that is known.
        case state(took: Duration?)
    }

    init(_ transfer: Transfer, _ progress: TransferProgress, _ news: News) {
        self.transfer = transfer
        self.progress = progress
        self.news = news
    }
}
