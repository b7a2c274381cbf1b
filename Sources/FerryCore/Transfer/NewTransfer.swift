/// A transfer to add.
public struct NewTransfer: Hashable, Sendable {
    /// What it must do.
    package var work: Work
    /// The queue that it joins.
    public var queue: String
    /// Higher runs first.
    public var priority: Int
    /// The transfers that must complete before it begins.
    public var after: [TransferID]
    /// The type, whose handler gets its end. If the download exists already and is not completed, that transfer gets
    /// this type in place of its own.
    public var type: TransferType?
    /// Further transfers that must complete before it begins, by their UUIDs. They may be added together with it, before
    /// it.
    public var afterUUIDs: [TransferUUID]
    /// The application's own name for it. If the download exists already, that transfer gets this tag in place of its
    /// own, in any state, even when it is completed.
    public var tag: TransferTag?
    /// The application's data for it; see ``Transfer/payload``. If the download exists already, that transfer gets
    /// this data as it gets the ``tag``.
    public var payload: TransferPayload?
    /// Its unique name, if the application chooses one. A transfer that is added twice with one UUID is stored once.
    /// With `nil` the store creates a UUID.
    public var uuid: TransferUUID?

    /// Whether it is recorded paused, so that it runs only once it is resumed. A transfer that exists keeps its state.
    package var isPaused = false

    /// The rate limit that the caller names for it, which may be off. A transfer that exists gets it, also while it runs. If it is
    /// `nil`, that transfer keeps its own. In ``work``, a limit that is off looks like one that is not named.
    package var namedRateLimit: RateLimit?

    /// The time window that the caller names for it, as ``namedRateLimit``.
    package var namedWindow: TimeWindow?

    /// Whether ``after`` replaces the dependencies of a failed or paused transfer that has the same request. A tree decides the order
    /// of its transfers anew each time.
    package var replacesOrder = false

    /// The cancelled transfer whose part file it takes over, if that still has it (``KeptPart``).
    package var keptBy: TransferID?

    /// The queue of transfers that name none.
    public static let defaultQueue = TransferQueue.usualName

    /// Creates a download to add.
    public init(
        _ specification: DownloadSpecification,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after: [TransferID] = [],
        afterUUIDs: [TransferUUID] = [],
        type: TransferType? = nil,
        tag: TransferTag? = nil,
        payload: TransferPayload? = nil,
        uuid: TransferUUID? = nil
    ) {
        let work = Work.download(DownloadWork(specification))
        self.init(work, queue, priority, after, afterUUIDs, type, tag, payload, uuid)
    }

    /// Creates a request to add.
    ///
    /// - Parameter uuid: its unique name. A request whose body Ferry has copied gets the name that the copy was made for.
    public init(
        _ request: RequestSpecification,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after: [TransferID] = [],
        afterUUIDs: [TransferUUID] = [],
        type: TransferType? = nil,
        tag: TransferTag? = nil,
        payload: TransferPayload? = nil,
        uuid: TransferUUID? = nil
    ) {
        var request = request
        request.addedChecksum = request.addedChecksum ?? request.messageChecksum
        let name = request.body.copy.flatMap { TransferUUID($0.path) } ?? uuid
        let work = Work.request(RequestWork(request))
        self.init(work, queue, priority, after, afterUUIDs, type, tag, payload, name)
    }

    /// Creates an upload to add.
    public init(
        _ upload: UploadSpecification,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after: [TransferID] = [],
        afterUUIDs: [TransferUUID] = [],
        type: TransferType? = nil,
        tag: TransferTag? = nil,
        payload: TransferPayload? = nil,
        uuid: TransferUUID? = nil
    ) {
        let work = Work.upload(UploadWork(upload))
        self.init(work, queue, priority, after, afterUUIDs, type, tag, payload, uuid)
    }

    /// Whether the copy of its body, if it has one, was made for its UUID.
    package var hasNameOfCopy: Bool { work.bodyCopy.map { TransferUUID($0.path) == uuid } ?? true }

    /// Whether it refers to other transfers.
    package var refersToOthers: Bool { !after.isEmpty || !afterUUIDs.isEmpty || !work.valueSources.isEmpty }

    private init(
        _ work: Work,
        _ queue: String,
        _ priority: Int,
        _ after: [TransferID],
        _ afterUUIDs: [TransferUUID],
        _ type: TransferType?,
        _ tag: TransferTag?,
        _ payload: TransferPayload?,
        _ uuid: TransferUUID?
    ) {
        self.work = work
        self.queue = queue
        self.priority = priority
        self.after = after
        self.afterUUIDs = afterUUIDs
        self.type = type
        self.tag = tag
        self.payload = payload
        self.uuid = uuid
    }
}
