/// One durable unit of work, as the store holds it at one moment.
///
/// Many places hold many of them, so what it consists of lies in storage that copies share.
public struct Transfer: Hashable, Sendable, Identifiable {
    private var fields: Shared<Fields>

    /// Its number in the store.
    public var id: TransferID {
        get { fields.value.id }
        set { fields.value.id = newValue }
    }
    /// Its name among the transfers of all stores.
    public var uuid: TransferUUID { fields.value.uuid }
    /// The name that the application gave it, or several that belong together.
    public var tag: TransferTag? {
        get { fields.value.tag }
        set { fields.value.tag = newValue }
    }
    /// What the application gave it along. It stays until the transfer is forgotten.
    public var payload: TransferPayload? {
        get { fields.value.payload }
        set { fields.value.payload = newValue }
    }
    /// What it does.
    public var kind: TransferKind { work.kind }
    /// The line that it stands in.
    public var queue: String {
        get { fields.value.queue }
        set { fields.value.queue = newValue }
    }
    /// Higher runs first; equal ones in the order in which they were added.
    public var priority: Int {
        get { fields.value.priority }
        set { fields.value.priority = newValue }
    }
    /// Where it stands.
    public var state: TransferState {
        get { fields.value.state }
        set { fields.value.state = newValue }
    }
    /// What was asked for, and how far it has come.
    public var work: Work {
        get { fields.value.work }
        set { fields.value.work = newValue }
    }
    /// The download that it is; `nil` for any other kind.
    public var download: DownloadWork? {
        if case .download(let work) = work { work } else { nil }
    }
    /// The request that it is; `nil` for any other kind.
    public var request: RequestWork? {
        if case .request(let work) = work { work } else { nil }
    }
    /// What its attempts have come to.
    public var ledger: AttemptLedger {
        get { fields.value.ledger }
        set { fields.value.ledger = newValue }
    }
    /// How many attempts have begun since it was added, revived or last made real progress.
    public var attempts: Int {
        get { fields.value.attempts }
        set { fields.value.attempts = newValue }
    }
    /// What has been asked of the owner that runs it, and not yet been obeyed.
    public var wish: Wish? {
        get { fields.value.wish }
        set { fields.value.wish = newValue }
    }
    /// Whether any process that runs the queue is to run it: somebody added or resumed it without running it. When the
    /// process that holds it is stopped, it is queued again rather than paused.
    package var isForQueue: Bool {
        get { fields.value.isForQueue }
        set { fields.value.isForQueue = newValue }
    }
    /// Who holds it; `nil` when it is free.
    public var claim: Claim? {
        get { fields.value.claim }
        set { fields.value.claim = newValue }
    }
    /// The failure of the latest attempt, kept while the transfer waits or has failed.
    public var latestFailure: TransferFailure? {
        get { fields.value.latestFailure }
        set { fields.value.latestFailure = newValue }
    }
    /// The transfers that are to complete before this one begins and have not, each once and in order.
    public var dependencies: [TransferID] {
        get { fields.value.dependencies }
        set { fields.value.dependencies = newValue }
    }
    /// When it was added.
    public var added: Instant {
        get { fields.value.added }
        set { fields.value.added = newValue }
    }
    /// When its row last changed.
    public var updated: Instant {
        get { fields.value.updated }
        set { fields.value.updated = newValue }
    }
    /// When it reached a final state.
    public var finished: Instant? {
        get { fields.value.finished }
        set { fields.value.finished = newValue }
    }

    private struct Fields: Hashable, Sendable {
        var id: TransferID
        let uuid: TransferUUID
        var tag: TransferTag?
        var payload: TransferPayload?
        var queue: String
        var priority: Int
        var state: TransferState
        var work: Work
        var ledger = AttemptLedger()
        var attempts: Int
        var wish: Wish?
        var isForQueue = true
        var claim: Claim?
        var latestFailure: TransferFailure?
        var dependencies: [TransferID] = []
        var added: Instant
        var updated: Instant
        var finished: Instant?
    }

    /// Why it was cancelled, where nobody asked for that: a newer one went before it.
    public var displacement: TransferFailure? {
        guard state == .cancelled, let latestFailure, latestFailure.code == .gaveWay else { return nil }
        return latestFailure
    }

    /// Whether the bytes go to a stream.
    public var isStream: Bool { download?.specification.isStream ?? false }

    /// Creates a transfer as it is when it has just been added.
    public init(id: TransferID, adding new: NewTransfer, at now: Instant) {
        let fields = Fields(
            id: id,
            uuid: new.uuid ?? .none,
            tag: new.tag,
            payload: new.payload,
            queue: new.queue,
            priority: new.priority,
            state: .queued,
            work: new.work,
            attempts: 0,
            added: now,
            updated: now
        )
        self.fields = Shared(fields)
    }
}
