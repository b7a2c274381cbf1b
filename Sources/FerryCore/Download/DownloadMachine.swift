/// One attempt of a download, as a state machine: events in, actions out.
///
/// ```
/// idle ──▶ surveying ──▶ preparing ──▶ transferring ──▶ digesting ──▶ synchronizing ──▶ publishing ──▶ ended
///              │             │              │                                              ▲
///              └─────────────┴── (all bytes there) ───────────────────────────────────────┘
/// ```
/// Some steps lead back. `preparing` returns to `surveying` when a name is taken. `transferring` returns to
/// `surveying` when the first answer gives the name, and to `preparing` when a new version needs an empty file. A
/// wrong digest leads from `digesting` to `transferring` to fetch some bytes again, or to `preparing` to fetch all.
/// `publishing` returns to `surveying` when the name was taken meanwhile and no file may be replaced.
///
/// Every stage but `ended` can also lead to `stopping`, which waits for the connections to end, and from there to
/// `ended`.
///
/// The machine sees watermarks, never bytes. It performs nothing itself: its runner carries out the actions in order
/// and feeds back the results. It can hold any number of connections; the plan chooses how many it opens (see
/// ``ConnectionPlan``).
public struct DownloadMachine: Sendable {
    /// The download that the caller specified.
    public let specification: DownloadSpecification
    /// The boot under which this attempt runs.
    public let boot: BootID
    /// What is known and done so far. This is what gets recorded.
    public internal(set) var checkpoint: Checkpoint
    /// What the lead's server was found to do, now or in earlier attempts. The requests to the lead depend on it.
    public internal(set) var traits: ServerTraits
    /// The stage that the attempt is in.
    public internal(set) var stage: Stage = .idle

    var connections: [ConnectionID: Connection] = [:]
    /// What this attempt has found out about each source.
    var sources = SourceBoard()
    var lastConnection = 0
    /// Decides how many connections are wanted.
    var plan: ConnectionPlan
    /// The smallest piece, in bytes, for which a connection is opened beside others.
    let smallestPiece: Int64
    /// Length in bytes below which a new part file may do without a name.
    let smallLength: Int64
    /// The last known mean speed of the connections, in bytes a second.
    var lastSpeed: Double?
    /// The last time the received byte count was seen to grow.
    var latestProgress: Progress?
    /// The proof that the last resume announcement of this attempt named.
    var toldProof: String?
    /// The largest number of connections that were open at once.
    var peak = 1
    /// Whether a sample of the speed has been ordered.
    var isSampling = false
    /// The time of the event that is being handled.
    var now: Instant
    /// Bytes of an unfinished decoded answer that this attempt found at its start and dropped.
    var decodedBytesLost: Int64 = 0
    /// Set when the attempt must end. It takes effect once no operation that must not be interrupted is under way.
    var ending: Ending?
    var isPartOpen = false
    /// Whether the open part file has a name yet.
    var partName = PartName.given
    var isSynchronizing = false
    /// Whether bytes were dropped or the file was cut since the running sync began. Its result then confirms nothing.
    var isSynchronizationStale = false
    /// A wrong digest that was found during a sync. It is judged when that sync has ended.
    var doubt: Doubt?
    /// The wrong digest of the whole, while the pieces are checked.
    var wrongDigest: Checksum?
    /// Whether this attempt asked for the whole because no part was usable. If that breaks off, the next attempt asks
    /// for a part again.
    var takesWhole = false
    /// Whether the part file is to be replaced as soon as no connection writes to it.
    var awaitsQuiet = false
    var lastSynchronized: Instant
    var recordedBytes: Int64 = 0
    /// The name before any number was added, and the number that is tried, under `ExistingFilePolicy.autoRename`.
    var unnumberedName: FileName?
    var renameNumber = 0
    /// The file with the final name that could not be opened for comparison with what was asked for.
    var unopened: FileIdentity?

    /// Longest time that bytes may stay at risk of power loss while a transfer is under way.
    public static let synchronizeInterval: Duration = .seconds(10)
    /// Most bytes that may stay at risk of power loss.
    public static let synchronizeBytes: Int64 = 256 << 20
    /// Number of numbered names that are tried before a download fails.
    public static let renameLimit = 9999
    /// Number of unusable answers to requests for a part before the whole is asked for. One such answer may be a bad
    /// moment, or one server of several behind a name.
    public static let mostRefusedParts = 2
    /// The smallest piece, in bytes, for which a connection is opened beside others.
    public static let smallestPiece: Int64 = 512 << 10
    /// Length in bytes below which a file is small: work done once per file would cost more than it saves.
    public static let smallLength: Int64 = 1 << 20

    /// Creates the machine of an attempt that resumes from `checkpoint`. `traits` describe the server of its bytes.
    public init(
        _ specification: DownloadSpecification,
        from checkpoint: Checkpoint,
        traits: ServerTraits = ServerTraits(),
        boot: BootID,
        smallestPiece: Int64 = DownloadMachine.smallestPiece,
        smallLength: Int64 = DownloadMachine.smallLength,
        at now: Instant
    ) {
        self.specification = specification
        self.checkpoint = checkpoint
        self.traits = traits
        self.boot = boot
        self.smallestPiece = smallestPiece
        self.smallLength = smallLength
        self.now = now
        plan = ConnectionPlan(most: specification.options.connections ?? DownloadOptions.defaultConnections)
        lastSynchronized = now
        // The traits belong to the server that gave the bytes; without bytes they say nothing.
        if checkpoint.segments.received > 0 { learn(traits, of: server(of: checkpoint.mirroring.lead)) }
        if checkpoint.name == nil, case .file(_, let name) = specification.destination {
            self.checkpoint.name = name
        }
        if isStream, checkpoint.segments.received == 0 { self.checkpoint.assurance = .single }
        if hasUnvouchedBytes { self.checkpoint.forgetBytes() }
        if self.checkpoint.startsOver {
            decodedBytesLost = self.checkpoint.segments.received
            self.checkpoint.forgetBytes()
        }
    }

    /// Handles an event and returns the actions to perform, in order.
    public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        guard stage != .ended else { return [] }
        self.now = now
        switch event {
        case .begin: return begin()
        case .surveyed(let survey): return surveyed(survey)
        case .partReady(let identity, let isNamed): return partReady(identity, isNamed: isNamed)
        case .partNamed: return partNamed()
        case .reserved: return reserved()
        case .trimmed: return trimmed()
        case .head(let id, let facts): return head(of: id, facts)
        case .advanced(let watermarks): return advanced(watermarks, at: now)
        case .connectionEnded(let id, let offset, let end): return connectionEnded(id, at: offset, end)
        case .sampled(let watermarks): return sampled(watermarks)
        case .recalled(let traits, let server): return recalled(traits, of: server)
        case .shortened(let id, let isDone): return shortened(for: id, isDone)
        case .synchronized(let snapshot): return synchronized(snapshot, at: now)
        case .digested(let checksum): return digested(checksum)
        case .piecesDigested(let wrong): return piecesDigested(wrong)
        case .published(let modified): return published(modified: modified)
        case .directorySynchronized: return finish(.completed)
        case .storageFailed(let operation, let problem): return storageFailed(operation, problem)
        case .ask(let ending): return ask(ending)
        case .partRemoved: return partRemoved()
        case .inspected(let flaw): return inspected(flaw)
        }
    }

    // MARK: Shared by the stages

    /// Whether every byte is received and verified, so that no more arrive.
    public var isFinishing: Bool { stage == .synchronizing || stage == .publishing }

    var isStream: Bool { specification.isStream }

    var options: DownloadOptions { specification.options }

    /// The place of the final file; `nil` before a name is decided.
    var place: FilePlace? {
        guard case .file(let directory, _) = specification.destination, let name = checkpoint.name else {
            return nil
        }
        return FilePlace(directory: directory, name: name, part: checkpoint.part?.name)
    }

    /// Whether some bytes can no longer be verified: the lead is a discovered mirror that is no longer listed, or
    /// discovered mirrors gave bytes and no digest will check them.
    private var hasUnvouchedBytes: Bool {
        guard checkpoint.phase == .receiving else { return false }
        let mirroring = checkpoint.mirroring
        if mirroring.isDiscovered(mirroring.lead), !sourceList.contains(mirroring.lead) { return true }
        return !isVerifiedLater
            && mirroring.provenance.spans.contains { $0.source.map(mirroring.isDiscovered) == true }
    }

    mutating func forgetBytes() {
        // This resets the count of refused parts. The new whole must not be divided into such parts again.
        takesWhole = takesWhole || doesWithoutParts
        checkpoint.forgetBytes()
        isSynchronizationStale = isSynchronizing
    }

    mutating func note(_ text: String) -> Action {
        checkpoint.note = text
        return .note(text)
    }

    mutating func record(_ durability: Durability) -> Action {
        joinSegments()
        let recorded = recordable
        recordedBytes = recorded.segments.received
        return .record(recorded, durability)
    }

    mutating func finish(_ outcome: AttemptOutcome) -> [Action] {
        stage = .ended
        return [.finish(outcome, recordable)]
    }

    /// Ends the attempt with a problem, once every connection has ended.
    mutating func fail(_ problem: Problem) -> [Action] {
        stop(.problem(problem))
    }

    /// Ends the attempt: cuts the connections and finishes when the last one has ended.
    mutating func stop(_ ending: Ending) -> [Action] {
        self.ending = self.ending ?? ending
        // Connections, a last sync or the removal are already awaited; their result ends the attempt.
        guard stage != .stopping else { return [] }
        stage = .stopping
        let cuts = connections.keys.sorted().flatMap { cut($0) }
        return cuts + (connections.isEmpty ? stopped() : [])
    }
}

extension DownloadMachine {
    /// The name of one connection within an attempt.
    public struct ConnectionID: RawRepresentable, Hashable, Comparable, Sendable {
        /// A number that is used once within an attempt.
        public let rawValue: Int

        /// Creates a name.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Whether `lhs` was opened before `rhs`.
        public static func < (lhs: ConnectionID, rhs: ConnectionID) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// The stages of an attempt.
    public enum Stage: Hashable, Sendable {
        /// Not begun; exits to `surveying`, `transferring`, `stopping`.
        case idle
        /// Looking at what is on disk, or looking again once every byte is received; exits to `inspecting`,
        /// `preparing`, `transferring`, `publishing`, `stopping`.
        case surveying
        /// An existing file that is kept is compared with what was asked for; exits to `surveying` when it cannot be
        /// opened, to `stopping`.
        case inspecting(FileSurvey.Entry)
        /// The part file is created, named, opened or cut, or its space is reserved; exits to `surveying` when its
        /// name is taken, to `transferring`, `digesting`, `synchronizing`, `stopping`.
        case preparing(Preparation)
        /// Connections are open or bytes arrive; exits to `surveying`, `preparing`, `digesting`,
        /// `synchronizing`, `stopping`, and for a stream to `ended`.
        case transferring
        /// Every byte is received and the file is read back; exits to `synchronizing`, `stopping`, and for a stream
        /// to `ended`; when bytes are wrong, to `transferring` to fetch those again, or to `preparing` to fetch all.
        case digesting
        /// All bytes are being synced to stable storage; exits to `publishing`, `stopping`.
        case synchronizing
        /// The rename is under way and is not interrupted; exits to `ended`, `stopping`, and to `surveying` when the
        /// name is taken by now and no file may be replaced.
        case publishing
        /// The attempt is over and awaits its connections, a last sync or the removal; exits to `ended`.
        case stopping
        /// Nothing more happens.
        case ended
    }

    /// Why the part file is being prepared. It decides what follows.
    public enum Preparation: Hashable, Sendable {
        /// To resume: connect, or verify when every byte is received.
        case resuming
        /// To finish a rename that a crash interrupted.
        case finishingRename
        /// To hold the body whose head has arrived.
        case receiving(ConnectionID)
        /// To reserve space for the whole body whose head has arrived; the body ends at `upTo`.
        case reserving(ConnectionID, upTo: Int64?)
        /// To cut off what lies behind the end of the resource. Every byte is received.
        case trimming
        /// To be replaced by an empty file, for the body whose head has arrived.
        case rewinding(ConnectionID?)
    }

    /// Why an attempt ends before its transfer does.
    enum Ending: Hashable, Sendable {
        /// The caller asked for it.
        case asked(AttemptEnding)
        /// A file with the final name already exists, and no more is wanted.
        case alreadyThere
        /// Something went wrong.
        case problem(Problem)

        /// The outcome of the attempt.
        var outcome: AttemptOutcome {
            switch self {
            case .asked(let ending): AttemptOutcome(ending)
            case .alreadyThere: .completed
            case .problem(let problem): .failed(problem)
            }
        }
    }

    /// What happened.
    public enum Event: Sendable {
        /// The attempt may begin.
        case begin
        /// The answer to ``Action/survey(_:)``.
        case surveyed(FileSurvey)
        /// The part file is open. `isNamed` says whether it has its name already.
        case partReady(FileIdentity, isNamed: Bool = true)
        /// The new part file has its name.
        case partNamed
        /// Space for the whole file is reserved, where the file system can.
        case reserved
        /// The part file was cut to the length of the resource.
        case trimmed
        /// The head of a response has arrived; its body is held back.
        case head(ConnectionID, ResponseFacts)
        /// How far each connection has written; sent at intervals.
        case advanced([ConnectionID: Int64])
        /// As `advanced`, in answer to ``Action/sample(after:)``.
        case sampled([ConnectionID: Int64])
        /// The answer to ``Action/recall(_:)``.
        case recalled(ServerTraits, of: Origin)
        /// The answer to ``Action/shorten(_:to:for:)``: whether the shortened body ends where the body of the given
        /// connection begins.
        case shortened(for: ConnectionID, Bool)
        /// A connection has ended; `at` is how far it has written, `nil` when it never received.
        case connectionEnded(ConnectionID, at: Int64?, ConnectionEnd)
        /// Everything that was written when `snapshot` was taken is durable.
        case synchronized(SegmentMap)
        /// The digest of the whole part file.
        case digested(Checksum)
        /// The pieces whose digests are wrong.
        case piecesDigested(wrong: [Int])
        /// The file has its final name, durably; `modified` is when its bytes last changed.
        case published(modified: Int64?)
        /// The answer to ``Action/inspect(_:_:)``: how the file differs from what was asked for, `nil` when it does
        /// not.
        case inspected(FileFlaw?)
        /// The directory was synced after a rename that a crash had interrupted.
        case directorySynchronized
        /// The part file was removed.
        case partRemoved
        /// A file operation failed.
        case storageFailed(StorageOperation, Problem)
        /// The caller wants the attempt to end.
        case ask(AttemptEnding)
    }

    /// How a connection ended.
    public enum ConnectionEnd: Hashable, Sendable {
        /// The body came to its proper end.
        case complete
        /// The overlap that was fetched again differs from the bytes on disk.
        case overlapDiffers
        /// It was cut, as ordered.
        case disconnected
        /// It was not opened: the host has no connection to spare, or a rate limit sets the speed.
        case denied
        /// It failed.
        case failed(Problem)
    }

    /// A file operation that can fail.
    public enum StorageOperation: Hashable, Sendable {
        /// Looking at the directory.
        case survey
        /// Creating, opening, reserving or cutting the part file.
        case prepare
        /// Giving the part file its name.
        case name
        /// Bringing bytes to stable storage.
        case synchronize
        /// Reading a file back.
        case digest
        /// Renaming.
        case publish
        /// Removing the part file.
        case remove
    }

    /// What the runner is to do.
    public enum Action: Hashable, Sendable {
        /// Look at the place. Feeds back `surveyed`.
        case survey(FilePlace)
        /// Create the part file. Feeds back `partReady`.
        case createPart(FilePlace)
        /// Give the part file that was just created its name. Feeds back `partNamed`.
        case namePart
        /// Open the part file. Feeds back `partReady`.
        case openPart(FilePlace, FileIdentity)
        /// Cut the part file to this length. Feeds back `trimmed`.
        case trim(Int64)
        /// Remove the part file with this identity and create a new, empty file in its place. Feeds back `partReady`.
        case replacePart(FilePlace, FileIdentity)
        /// Reserve space for the whole file. Feeds back `reserved`, or `storageFailed` when there is not enough.
        case reserve(Int64)
        /// Open a connection. Feeds back `head`, then waits for `receive` or `disconnect`.
        case connect(ConnectionID, RangeRequest)
        /// Open a connection beside others, if the host may have one more. Feeds back as `connect`, or
        /// `connectionEnded` with `denied`.
        case connectBeside(ConnectionID, RangeRequest)
        /// End the body of a connection at an offset, so that another connection can begin there, unless the body has
        /// passed that offset. Feeds back `shortened`.
        case shorten(ConnectionID, to: Int64, for: ConnectionID)
        /// Report after this time how far each connection has written. Feeds back `sampled`.
        case sample(after: Duration)
        /// Look up what is remembered of a server. Feeds back `recalled`.
        case recall(Origin)
        /// Take the body: write it from `at` on, at most `limit` bytes. The first `comparing` bytes already exist and
        /// are only compared. Feeds back `connectionEnded`.
        case receive(ConnectionID, at: Int64, limit: Int64?, comparing: Int64)
        /// Undo this coding of the body that the next `receive` takes.
        case decode(ConnectionID, ContentCoding)
        /// Cut the connection. Feeds back `connectionEnded`.
        case disconnect(ConnectionID)
        /// Record the checkpoint in the store.
        case record(Checkpoint, Durability)
        /// Bring the part file to stable storage. Feeds back `synchronized` with this map.
        case synchronize(SegmentMap)
        /// Compute the digest of the first `length` bytes. Feeds back `digested`.
        case digest(Checksum.Algorithm, length: Int64)
        /// Compute the digests of the pieces of a file of this length. Feeds back `piecesDigested`.
        case digestPieces(PieceDigests, length: Int64)
        /// Compare the file that has the final name with what was asked for. Feeds back `inspected`.
        case inspect(FilePlace, FileSurvey.Entry)
        /// Rename the part file. Feeds back `published`.
        case publish(FileName, replacing: Bool)
        /// Sync the directory. Feeds back `directorySynchronized`.
        case synchronizeDirectory(FilePlace)
        /// Remove the part file. Feeds back `partRemoved`.
        case removePart(FilePlace, FileIdentity)
        /// Remember what a server does, for other transfers.
        case remember(ServerTraits, of: Origin)
        /// Show a note to the user; the checkpoint keeps it.
        case note(String)
        /// The attempt is over.
        case finish(AttemptOutcome, Checkpoint)
    }
}
