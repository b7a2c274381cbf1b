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
    /// What it does.
    public var kind: TransferKind {
        get { fields.value.kind }
        set { fields.value.kind = newValue }
    }
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
    /// What was asked for.
    public var specification: DownloadSpecification {
        get { fields.value.specification }
        set { fields.value.specification = newValue }
    }
    /// How far it has come.
    public var checkpoint: Checkpoint {
        get { fields.value.checkpoint.value }
        set { fields.value.checkpoint.value = newValue }
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
        var kind: TransferKind
        var queue: String
        var priority: Int
        var state: TransferState
        var specification: DownloadSpecification
        var checkpoint: Shared<Checkpoint>
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

    /// Where all begin.
    private static let untouched = Shared(Checkpoint())

    /// Whether the bytes go to a stream.
    public var isStream: Bool { specification.isStream }

    /// Creates a transfer as it is when it has just been added.
    public init(id: TransferID, adding new: NewTransfer, at now: Instant) {
        let fields = Fields(
            id: id,
            kind: .download,
            queue: new.queue,
            priority: new.priority,
            state: .queued,
            specification: new.specification,
            checkpoint: Self.untouched,
            attempts: 0,
            added: now,
            updated: now
        )
        self.fields = Shared(fields)
    }
}

extension Transfer {
    /// Whether its file may have a numbered name in place of the one that was asked for, which another file has.
    ///
    /// What name the server proposed is not kept; one that neither the user nor the URL gave may be a numbered one.
    public var mayBeNumbered: Bool {
        guard specification.options.existingFile == .autoRename, let name = checkpoint.name,
            case .file(_, let given) = specification.destination
        else { return false }
        return name != given ?? .fromURL(specification.url)
    }
}

/// What a download is asked to do.
public struct DownloadSpecification: Hashable, Sendable, Codable {
    /// The URL as the user gave it.
    public var url: HTTPURL
    /// Where the bytes go.
    public var destination: Destination
    /// How it is to be made.
    public var options: DownloadOptions {
        get { sharedOptions.value }
        set { sharedOptions.value = newValue }
    }
    private var sharedOptions: Shared<DownloadOptions>

    private enum CodingKeys: String, CodingKey {
        case url
        case destination
        case sharedOptions = "options"
    }

    /// The options of most.
    private static let plainOptions = Shared(DownloadOptions())

    /// Creates a specification.
    public init(url: HTTPURL, destination: Destination, options: DownloadOptions = DownloadOptions()) {
        self.url = url
        self.destination = destination
        sharedOptions = options == Self.plainOptions.value ? Self.plainOptions : Shared(options)
    }

    /// Uses the storage of another one's options, if they are the same: many of one list have the same.
    package mutating func shareOptions(with other: DownloadSpecification) {
        if sharedOptions == other.sharedOptions { sharedOptions = other.sharedOptions }
    }

    /// Whether the bytes go to a stream, which ends with the process that holds it.
    public var isStream: Bool {
        if case .stream = destination { true } else { false }
    }

    /// Whether only a strong validator lets it go on: as was asked for, or because there is nothing to compare.
    public var resumesStrictly: Bool { options.strictResume || isStream }

    /// What makes two downloads the same one: the destination, and the URL without its fragment, its signature and the
    /// parameters that ``DownloadOptions/ignoredQuery`` names.
    ///
    /// Two transfers with the same identity that are not over never exist in one store; a failed one may stand beside one
    /// that is not over. One that is asked for with another signature is the same transfer with a fresh URL.
    public var identity: String { identity(of: url) }

    /// What makes a completed download the same one: its ``identity`` without the URL's password. A store keeps a digest of
    /// it, which must not be a way to guess a password.
    public var completedIdentity: String { identity(of: url.withoutPassword) }

    private func identity(of url: HTTPURL) -> String {
        let target =
            switch destination {
            case .file(let directory, let name): "file\n\(directory)\n\(name?.rawValue ?? "")"
            case .stream(let path): "stream\n\(path)"
            }
        let resource = url.withoutFragment.withoutSignature(ignoring: options.ignoredQuery)
        return "\(resource.absoluteString)\n\(target)"
    }
}

/// A transfer that is to be added.
public struct NewTransfer: Hashable, Sendable {
    /// What it is asked to do.
    public var specification: DownloadSpecification
    /// The line that it shall stand in.
    public var queue: String
    /// Higher runs first.
    public var priority: Int
    /// The transfers that have to complete before it begins.
    public var after: [TransferID]

    /// The queue that transfers stand in when none is named.
    public static let defaultQueue = "default"

    /// Creates a transfer to add.
    public init(
        _ specification: DownloadSpecification,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        after: [TransferID] = []
    ) {
        self.specification = specification
        self.queue = queue
        self.priority = priority
        self.after = after
    }
}
