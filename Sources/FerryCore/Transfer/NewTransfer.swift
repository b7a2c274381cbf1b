/// A transfer that is to be added.
public struct NewTransfer: Hashable, Sendable {
    /// What it is asked to do.
    package var work: Work
    /// The line that it shall stand in.
    public var queue: String
    /// Higher runs first.
    public var priority: Int
    /// The transfers that have to complete before it begins.
    public var after: [TransferID]
    /// The application's own name for it. A transfer that is there already and stands for this one takes it over.
    public var tag: TransferTag?
    /// What the application gives it along; see ``Transfer/payload``. It is taken over as the tag is.
    public var payload: TransferPayload?
    /// Its name among all transfers, if the application makes it: what is added again under it is there once, whatever has
    /// become of it. The store makes one otherwise.
    public var uuid: TransferUUID?

    /// The queue that transfers stand in when none is named.
    public static let defaultQueue = TransferQueue.usualName

    /// Creates a download to add.
    public init(
        _ specification: DownloadSpecification,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after: [TransferID] = []
    ) {
        self.init(.download(DownloadWork(specification)), queue: queue, priority: priority, after: after)
    }

    /// Creates a request to add.
    public init(
        _ request: RequestSpecification,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after: [TransferID] = []
    ) {
        self.init(.request(RequestWork(request)), queue: queue, priority: priority, after: after)
    }

    private init(_ work: Work, queue: String, priority: Int, after: [TransferID]) {
        self.work = work
        self.queue = queue
        self.priority = priority
        self.after = after
    }

    /// What the download is asked to do; `nil` for any other kind.
    package var download: DownloadSpecification? {
        if case .download(let work) = work { work.specification } else { nil }
    }
}
