/// One durable unit of work, as it was in the store at one moment.
///
/// Many copies exist at once, so its fields are in storage that copies share.
public struct Transfer: Hashable, Sendable, Identifiable {
    private var fields: Shared<Fields>

    /// Its number in the store.
    public package(set) var id: TransferID {
        get { fields.value.id }
        set { fields.change { $0.id = newValue } }
    }
    /// Its name, unique across all stores.
    public var uuid: TransferUUID { fields.value.uuid }
    /// Its type, whose handler gets its end; `nil` if no handler does.
    public package(set) var type: TransferType? {
        get { fields.value.type }
        set { fields.change { $0.type = newValue } }
    }
    /// The name that the application gave it, alone or together with others.
    public package(set) var tag: TransferTag? {
        get { fields.value.tag }
        set { fields.change { $0.tag = newValue } }
    }
    /// The application's data for it, kept until the transfer is forgotten.
    public package(set) var payload: TransferPayload? {
        get { fields.value.payload }
        set { fields.change { $0.payload = newValue } }
    }
    /// What it does.
    public var kind: TransferKind { work.kind }
    /// The queue that it belongs to.
    public package(set) var queue: String {
        get { fields.value.queue }
        set { fields.change { $0.queue = newValue } }
    }
    /// Higher runs first; equal priorities run in the order in which they were added.
    public package(set) var priority: Int {
        get { fields.value.priority }
        set { fields.change { $0.priority = newValue } }
    }
    /// Its state.
    public package(set) var state: TransferState {
        get { fields.value.state }
        set { fields.change { $0.state = newValue } }
    }
    /// What it must do, and its progress.
    package var work: Work {
        get { fields.value.work }
        set { fields.change { $0.work = newValue } }
    }
    /// The URL that is requested first.
    public var url: HTTPURL { work.url }
    /// Where the bytes go; `nil` for anything but a download.
    public var destination: Destination? { download?.specification.destination }
    /// The download; `nil` for any other kind.
    package var download: DownloadWork? { work.download }
    /// The request; `nil` for any other kind.
    package var request: RequestWork? { work.request }
    /// The upload; `nil` for any other kind.
    package var upload: UploadWork? { work.upload }
    /// The server's latest answer to a request, also if the request has failed; `nil` before any, and for any other kind.
    public var response: StoredResponse? { request?.progress.response }
    /// Whether it may run while its application is in the background.
    public var runsInBackground: Bool { work.terms.runsInBackground }
    /// The history of its attempts.
    package var ledger: AttemptLedger {
        get { fields.value.ledger }
        set { fields.change { $0.ledger = newValue } }
    }
    /// Number of attempts begun since it was added, revived or last made real progress.
    public package(set) var attempts: Int {
        get { fields.value.attempts }
        set { fields.change { $0.attempts = newValue } }
    }
    /// When its latest attempt started; `nil` before the first. That attempt runs as long as the state is `active`.
    public package(set) var attemptStarted: Instant? {
        get { fields.value.attemptStarted }
        set { fields.change { $0.attemptStarted = newValue } }
    }
    /// A wish that its owner has not yet obeyed.
    package var wish: Wish? {
        get { fields.value.wish }
        set { fields.change { $0.wish = newValue } }
    }
    /// Whether any process that runs the queue may run it, because a caller added or resumed it without running it.
    /// When the process that holds it stops, it is queued again rather than paused. A failed one keeps this until it is
    /// requested again.
    package var isForQueue: Bool {
        get { fields.value.isForQueue }
        set { fields.change { $0.isForQueue = newValue } }
    }
    /// The owner's claim; `nil` when it is free.
    package var claim: Claim? {
        get { fields.value.claim }
        set { fields.change { $0.claim = newValue } }
    }
    /// The failure of the latest attempt, kept while the transfer waits or has failed.
    public package(set) var latestFailure: TransferFailure? {
        get { fields.value.latestFailure }
        set { fields.change { $0.latestFailure = newValue } }
    }
    /// The uncompleted transfers that this one comes after, each once and in order.
    public package(set) var dependencies: [TransferID] {
        get { fields.value.dependencies }
        set { fields.change { $0.dependencies = newValue } }
    }
    /// When it was added.
    public package(set) var added: Instant {
        get { fields.value.added }
        set { fields.change { $0.added = newValue } }
    }
    /// When its row last changed.
    public package(set) var updated: Instant {
        get { fields.value.updated }
        set { fields.change { $0.updated = newValue } }
    }
    /// When it reached a final state.
    public package(set) var finished: Instant? {
        get { fields.value.finished }
        set { fields.change { $0.finished = newValue } }
    }

    private struct Fields: Hashable, Sendable {
        var id: TransferID
        let uuid: TransferUUID
        var type: TransferType?
        var tag: TransferTag?
        var payload: TransferPayload?
        var queue: String
        var priority: Int
        var state: TransferState
        var work: Work
        var ledger = AttemptLedger()
        var attempts: Int
        var attemptStarted: Instant?
        var wish: Wish?
        var isForQueue = true
        var claim: Claim?
        var latestFailure: TransferFailure?
        var dependencies: [TransferID] = []
        var added: Instant
        var updated: Instant
        var finished: Instant?
    }

    /// Why it was cancelled, if a newer transfer replaced it and no one asked for that; otherwise `nil`.
    public var displacement: TransferFailure? {
        guard state == .cancelled, let latestFailure, latestFailure.code == .gaveWay else { return nil }
        return latestFailure
    }

    /// Creates a transfer that was just added.
    package init(id: TransferID, adding new: NewTransfer, at now: Instant) {
        let fields = Fields(
            id: id,
            uuid: new.uuid ?? .none,
            type: new.type,
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
