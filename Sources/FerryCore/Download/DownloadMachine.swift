/// One attempt of a download, as a state machine: events in, actions out.
///
/// ```
/// idle ──▶ surveying ──▶ preparing ──▶ transferring ──▶ digesting ──▶ synchronizing ──▶ publishing ──▶ ended
///              │             │              │                                              ▲
///              └─────────────┴── (all bytes there) ───────────────────────────────────────┘
/// ```
/// What is done so far may have to be taken back. A name that turns out to be taken leads from `preparing` to
/// `surveying`, and so does a name that only the first answer tells, from `transferring`; a new version from
/// `transferring` to `preparing`, which cuts the file for it; and a wrong digest from `digesting` to `transferring`,
/// for some bytes, or to `preparing`, for all of them. A name that was taken meanwhile leads from `publishing` back to
/// `surveying` where nothing is to be replaced.
///
/// Every stage but `ended` can also lead to `stopping`, which waits for the connections to end, and from there to `ended`.
///
/// The machine sees watermarks, never bytes. It performs nothing itself: whoever runs it carries out the actions
/// in order and feeds back what happened. It can hold any number of connections; how many it opens is the plan's
/// choice (see ``ConnectionPlan``).
public struct DownloadMachine: Sendable {
    /// What is asked for.
    public let specification: DownloadSpecification
    /// The boot under which this attempt runs.
    public let boot: BootID
    /// What is known and done so far; what is to be recorded.
    public internal(set) var checkpoint: Checkpoint
    /// How the lead is asked, by what its server has been found to do, in this attempt and before it.
    public internal(set) var traits: ServerTraits
    /// The stage that the attempt is in.
    public internal(set) var stage: Stage = .idle

    var connections: [ConnectionID: Connection] = [:]
    /// What this attempt has found out about each source.
    var sources = SourceBoard()
    var lastConnection = 0
    /// How many connections are wanted.
    var plan: ConnectionPlan
    /// The least that a connection is opened for, beside others, in bytes.
    let smallestPiece: Int64
    /// Below this length a new part file is spared its name.
    let smallLength: Int64
    /// The mean speed of the connections when it was last known, in bytes a second.
    var lastSpeed: Double?
    /// When there was last seen to be more than before.
    var latestProgress: Progress?
    /// By what this attempt has said that it goes on.
    var toldProof: String?
    /// The most connections that were open at once.
    var peak = 1
    /// Whether a sample of the speed has been ordered.
    var isSampling = false
    /// The time of the event that is being handled.
    var now: Instant
    /// How many bytes of an answer that was decoded, and came to no end, were there at the beginning.
    var decodedBytesLost: Int64 = 0
    /// Set when the attempt is to end; obeyed as soon as nothing that must not be cut short is under way.
    var ending: Ending?
    var isPartOpen = false
    /// Whether the open part file has a name by now.
    var partName = PartName.given
    var isSynchronizing = false
    /// Whether bytes were dropped or the file was cut since the sync that is under way began, so that it confirms
    /// nothing of what is there now.
    var isSynchronizationStale = false
    /// What was found wrong in the file and is judged when the sync that is under way has ended.
    var doubt: Doubt?
    /// The digest of the whole that is not what it should be, while its pieces are looked at.
    var wrongDigest: Checksum?
    /// Whether this attempt asked for the whole because no part could be used. Should that break off, the next attempt
    /// asks for a part again.
    var takesWhole = false
    /// Whether the file is to be cut as soon as nobody writes to it any more.
    var awaitsQuiet = false
    var lastSynchronized: Instant
    var recordedBytes: Int64 = 0
    /// The name before any number was put into it, and the number that is tried, under
    /// `ExistingFilePolicy.autoRename`.
    var unnumberedName: FileName?
    var renameNumber = 0
    /// The file with the final name that could not be opened to be held against what was asked for.
    var unopened: FileIdentity?

    /// How long bytes may stay at risk of power loss while a transfer is under way.
    public static let synchronizeInterval: Duration = .seconds(10)
    /// How many bytes may stay at risk of power loss.
    public static let synchronizeBytes: Int64 = 256 << 20
    /// How many numbered names are tried before a download gives up finding a free one.
    public static let renameLimit = 9999
    /// How many requests for a part may be answered with what cannot be used before the whole is asked for: one such
    /// answer may come of a bad moment, or of one server of several behind a name.
    public static let mostRefusedParts = 2
    /// The least that a connection is opened for, beside others, in bytes.
    public static let smallestPiece: Int64 = 512 << 10
    /// Below this length a file is small: what is done once for each file would cost it more than it could save.
    public static let smallLength: Int64 = 1 << 20

    /// Creates the machine of an attempt that goes on from `checkpoint`, whose bytes came from a server that is
    /// known to do what `traits` say.
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
        // What is known was given along with bytes to go on from.
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

    /// Feeds in what happened; returns what is to be done, in order.
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

    /// Whether every byte is there and is what it should be, so that no more come.
    public var isFinishing: Bool { stage == .synchronizing || stage == .publishing }

    var isStream: Bool { specification.isStream }

    var options: DownloadOptions { specification.options }

    /// The place of the final file; only once a name is decided.
    var place: FilePlace? {
        guard case .file(let directory, _) = specification.destination, let name = checkpoint.name else {
            return nil
        }
        return FilePlace(directory: directory, name: name, part: checkpoint.part?.name)
    }

    /// Whether there are bytes for which nobody vouches: the lead was a mirror that a server named and is none any more,
    /// or the digest that such mirrors were used by is not to count any more.
    private var hasUnvouchedBytes: Bool {
        guard checkpoint.phase == .receiving else { return false }
        let mirroring = checkpoint.mirroring
        if mirroring.isDiscovered(mirroring.lead), !sourceList.contains(mirroring.lead) { return true }
        return !isVerifiedLater
            && mirroring.provenance.spans.contains { $0.source.map(mirroring.isDiscovered) == true }
    }

    mutating func forgetBytes() {
        // The count ends here, and the whole that comes now is not divided into such parts again.
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

    /// Ends the attempt: cuts the connections, and goes on when the last one has ended.
    mutating func stop(_ ending: Ending) -> [Action] {
        self.ending = self.ending ?? ending
        // What is awaited already, the connections, a last sync or the removal, brings the end.
        guard stage != .stopping else { return [] }
        stage = .stopping
        let cuts = connections.keys.sorted().flatMap { cut($0) }
        return cuts + (connections.isEmpty ? stopped() : [])
    }
}

extension DownloadMachine {
    /// The name of one connection within an attempt.
    public struct ConnectionID: RawRepresentable, Hashable, Comparable, Sendable {
        /// A number that is not used twice within an attempt.
        public let rawValue: Int

        /// Creates a name.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Whether one was opened before the other.
        public static func < (lhs: ConnectionID, rhs: ConnectionID) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// The stages of an attempt.
    public enum Stage: Hashable, Sendable {
        /// Not begun; exits to `surveying`, `transferring`, `stopping`.
        case idle
        /// Looking at what is on disk, for the second time where every byte is there; exits to `inspecting`,
        /// `preparing`, `transferring`, `publishing`, `stopping`.
        case surveying
        /// A file that is left as it is is held against what was asked for; exits to `surveying` when it cannot be opened, to
        /// `stopping`.
        case inspecting(FileSurvey.Entry)
        /// The part file is created, named, opened, cut or given room; exits to `surveying` when its name is
        /// taken, to `transferring`, `digesting`, `synchronizing`, `stopping`.
        case preparing(Preparation)
        /// Connections are open or bytes are coming; exits to `surveying`, `preparing`, `digesting`,
        /// `synchronizing`, `stopping`, and for a stream to `ended`.
        case transferring
        /// Every byte is there and is being read back; exits to `synchronizing`, `stopping`, and for a stream to
        /// `ended`; where bytes are wrong, to `transferring` for those, or to `preparing` for all of them anew.
        case digesting
        /// Every byte is on its way to stable storage; exits to `publishing`, `stopping`.
        case synchronizing
        /// The rename is under way and is not cut short; exits to `ended`, `stopping`, and where the name is taken by now
        /// and nothing is to be replaced, to `surveying`.
        case publishing
        /// The attempt is over; its connections, a last sync or the removal are awaited; exits to `ended`.
        case stopping
        /// Nothing more happens.
        case ended
    }

    /// Why the part file is being prepared, and so what follows.
    public enum Preparation: Hashable, Sendable {
        /// To go on: connect, or verify when every byte is there.
        case resuming
        /// To finish the rename that a crash cut short.
        case finishingRename
        /// To hold the body whose head has come.
        case receiving(ConnectionID)
        /// To have room for the whole of the body whose head has come; the body ends at `upTo`.
        case reserving(ConnectionID, upTo: Int64?)
        /// To end where the resource does, which every byte of is there.
        case trimming
        /// To be replaced by an empty one, for the body whose head has come.
        case rewinding(ConnectionID?)
    }

    /// Why an attempt ends before its transfer does.
    enum Ending: Hashable, Sendable {
        /// It was asked to.
        case asked(AttemptEnding)
        /// A file with the final name is there, and that is all that was wanted.
        case alreadyThere
        /// Something went wrong.
        case problem(Problem)

        /// What the attempt comes to.
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
        /// The part file is open; whether it has its name already.
        case partReady(FileIdentity, isNamed: Bool = true)
        /// The new part file has its name.
        case partNamed
        /// Space for the whole file is reserved, where the file system can.
        case reserved
        /// The part file ends where the resource does.
        case trimmed
        /// The head of a response is there; its body is held back.
        case head(ConnectionID, ResponseFacts)
        /// How far each connection has written; comes at intervals.
        case advanced([ConnectionID: Int64])
        /// As `advanced`, in answer to ``Action/sample(after:)``.
        case sampled([ConnectionID: Int64])
        /// The answer to ``Action/recall(_:)``.
        case recalled(ServerTraits, of: Origin)
        /// The answer to ``Action/shorten(_:to:for:)``: whether the one body ends where the body of the given
        /// connection is to begin.
        case shortened(for: ConnectionID, Bool)
        /// A connection is over; `at` is how far it has written, `nil` when it never received.
        case connectionEnded(ConnectionID, at: Int64?, ConnectionEnd)
        /// Everything that was written when `snapshot` was taken is durable.
        case synchronized(SegmentMap)
        /// The digest of the whole part file.
        case digested(Checksum)
        /// The pieces whose digests are not what they should be.
        case piecesDigested(wrong: [Int])
        /// The file has its final name, durably; when its bytes were last changed.
        case published(modified: Int64?)
        /// The answer to ``Action/inspect(_:_:)``: in what way the file is not what was asked for.
        case inspected(FileFlaw?)
        /// The directory was synced after a rename that a crash had cut short.
        case directorySynchronized
        /// The part file is gone.
        case partRemoved
        /// A file operation failed.
        case storageFailed(StorageOperation, Problem)
        /// Somebody wants the attempt to end.
        case ask(AttemptEnding)
    }

    /// How a connection ended.
    public enum ConnectionEnd: Hashable, Sendable {
        /// The body came to its proper end.
        case complete
        /// The bytes that were asked for again are not those that are there.
        case overlapDiffers
        /// It was cut, as ordered.
        case disconnected
        /// It was not opened: the host has as many connections as it may have, or a limit of the rate sets the speed.
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

    /// What is to be done.
    public enum Action: Hashable, Sendable {
        /// Look at the place. Feeds back `surveyed`.
        case survey(FilePlace)
        /// Create the part file. Feeds back `partReady`.
        case createPart(FilePlace)
        /// Give the part file that was just created its name. Feeds back `partNamed`.
        case namePart
        /// Open the part file. Feeds back `partReady`.
        case openPart(FilePlace, FileIdentity)
        /// Cut off what lies behind the whole. Feeds back `trimmed`.
        case trim(Int64)
        /// Remove the part file that this identity names, and create an empty one in its place, which is another file.
        /// Feeds back `partReady`.
        case replacePart(FilePlace, FileIdentity)
        /// Reserve space for the whole file. Feeds back `reserved`, or `storageFailed` when there is not enough.
        case reserve(Int64)
        /// Open a connection. Feeds back `head`, then waits for `receive` or `disconnect`.
        case connect(ConnectionID, RangeRequest)
        /// Open a connection beside others, if the host may have one more. Feeds back as `connect`, or
        /// `connectionEnded` with `denied`.
        case connectBeside(ConnectionID, RangeRequest)
        /// Let the body of a connection end at an offset, so that another one can begin there, unless it has come
        /// further already. Feeds back `shortened`.
        case shorten(ConnectionID, to: Int64, for: ConnectionID)
        /// Say after so long how far each connection has written. Feeds back `sampled`.
        case sample(after: Duration)
        /// Look up what is remembered of a server. Feeds back `recalled`.
        case recall(Origin)
        /// Take the body: write it from `at` on, at most `limit` bytes, the first `comparing` of which are there
        /// already and are only compared. Feeds back `connectionEnded`.
        case receive(ConnectionID, at: Int64, limit: Int64?, comparing: Int64)
        /// Undo this coding of the body that is ordered to be taken next.
        case decode(ConnectionID, ContentCoding)
        /// Cut the connection. Feeds back `connectionEnded`.
        case disconnect(ConnectionID)
        /// Record the checkpoint in the store.
        case record(Checkpoint, Durability)
        /// Bring the part file to stable storage. Feeds back `synchronized` with this map.
        case synchronize(SegmentMap)
        /// Compute the digest of the first so many bytes. Feeds back `digested`.
        case digest(Checksum.Algorithm, length: Int64)
        /// Compute the digests of the pieces of a file of this length. Feeds back `piecesDigested`.
        case digestPieces(PieceDigests, length: Int64)
        /// Hold the file that has the final name against what was asked for. Feeds back `inspected`.
        case inspect(FilePlace, FileSurvey.Entry)
        /// Rename the part file. Feeds back `published`.
        case publish(FileName, replacing: Bool)
        /// Sync the directory. Feeds back `directorySynchronized`.
        case synchronizeDirectory(FilePlace)
        /// Remove the part file. Feeds back `partRemoved`.
        case removePart(FilePlace, FileIdentity)
        /// Remember what that server does, for other transfers.
        case remember(ServerTraits, of: Origin)
        /// Tell the user; the checkpoint keeps it.
        case note(String)
        /// The attempt is over.
        case finish(AttemptOutcome, Checkpoint)
    }
}
