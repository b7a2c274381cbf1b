/// The stage that an attempt is in, with what only that stage knows.
enum DownloadStage: Hashable, Sendable {
    /// Not begun; exits to `busy(.surveying)`, `transferring`, `stopping`. `decodedBytesLost` are the bytes of an
    /// unfinished decoded answer that this attempt found and dropped.
    case idle(decodedBytesLost: Int64)
    /// An operation on files is under way and is not interrupted. Its answer leads on, or to `stopping` when `then`
    /// says how the attempt must end; each ``Operation`` lists its exits.
    case busy(Operation, then: Ending?)
    /// Connections are open or bytes arrive; exits to `busy`, `stopping`, and for a stream to `ended`.
    case transferring
    /// The rename is under way and is not interrupted; exits to `ended`, `stopping`, and to `busy(.surveying)` when the
    /// name is now taken and no file may be replaced.
    case publishing
    /// The attempt is over and awaits its connections, a last sync or the removal; exits to `ended`.
    case stopping(Ending)
    /// Nothing more happens.
    case ended
}

extension DownloadStage {
    /// An operation on files that an attempt waits for.
    enum Operation: Hashable, Sendable {
        /// Looking at what is on disk, or looking again once every byte is received; exits to `inspecting`,
        /// `preparing`, `transferring`, `publishing`. `unopened` is the file that could not be opened just before.
        case surveying(unopened: FileIdentity?)
        /// Comparing an existing file, which is kept, with what was asked for; exits to `stopping`, and to
        /// `surveying` when it cannot be opened, unless `isSecondTry`.
        case inspecting(FileSurvey.Entry, isSecondTry: Bool)
        /// The part file is created, named, opened or cut, or its space is reserved; exits to `surveying` when its
        /// name is taken, to `transferring`, `digesting`, `synchronizing`.
        case preparing(Preparation)
        /// Every byte is received and the file is read back; exits to `synchronizing`, and for a stream to `ended`;
        /// when bytes are wrong or do not open, to `transferring` to fetch those again, or to `preparing` to fetch all.
        case digesting(Digesting)
        /// All bytes are being synced to stable storage; exits to `publishing`.
        case synchronizing
    }

    /// Why the part file is being prepared. It decides what follows.
    enum Preparation: Hashable, Sendable {
        /// To resume: connect, or verify when every byte is received.
        case resuming
        /// To finish a rename that a crash interrupted.
        case finishingRename
        /// To make the file of another tool the part file; exits to `surveying`.
        case adopting
        /// To hold the body whose head has arrived.
        case receiving(ConnectionID)
        /// To reserve space for the whole body whose head has arrived; the body ends at `upTo`.
        case reserving(ConnectionID, upTo: Int64?)
        /// To cut off bytes after the end of the resource. Every byte is received. Exits to `doubting` or `quieting`
        /// when the last sealed bytes do not open.
        case trimming
        /// To be replaced as soon as no connection writes to it; exits to `rewinding`.
        case quieting(ConnectionID?)
        /// To be replaced by an empty file, for the body whose head has arrived, or for the next connection.
        case rewinding(ConnectionID?)
    }

    /// What is computed from the file when it is read back.
    enum Digesting: Hashable, Sendable {
        /// The digest of the whole, or the opening of all sealed chunks; exits to `pieces`, `doubting`.
        case whole
        /// The digests of the pieces; exits to `doubting`. `wrongWhole` is the wrong digest of the whole, if that was
        /// computed before.
        case pieces(wrongWhole: Checksum?)
        /// Something was found wrong during a sync, and is judged when that sync has ended. If the sync fails, it may
        /// have dropped bytes before they were read.
        case doubting(Doubt)
    }

    /// What was found wrong in the file during a sync.
    enum Doubt: Hashable, Sendable {
        /// The wrong digest of the whole.
        case whole(Checksum)
        /// The pieces with wrong digests.
        case pieces(wrong: [Int], wrongWhole: Checksum?)
        /// Sealed bytes that do not open.
        case unopened
    }

    /// Why an attempt ends before its transfer does.
    enum Ending: Hashable, Sendable {
        /// The caller asked for it.
        case asked(StopOrder)
        /// A file with the final name already exists, and no more is wanted.
        case alreadyThere
        /// The file that an earlier transfer saved is the server's version.
        case upToDate
        /// Something went wrong.
        case problem(Problem)

        /// The outcome of the attempt.
        var outcome: AttemptOutcome {
            switch self {
            case .asked(let ending): AttemptOutcome(ending)
            case .alreadyThere, .upToDate: .completed
            case .problem(let problem): .failed(problem)
            }
        }
    }
}

extension DownloadStage {
    /// An operation has begun.
    static func busy(_ operation: Operation) -> DownloadStage { .busy(operation, then: nil) }

    /// The operation that is under way.
    var operation: Operation? {
        if case .busy(let operation, _) = self { operation } else { nil }
    }

    /// Why the part file is being prepared.
    var preparation: Preparation? {
        if case .preparing(let preparation) = operation { preparation } else { nil }
    }

    /// How the attempt must end, as soon as no operation is in progress that must not be interrupted.
    var ending: Ending? {
        switch self {
        case .busy(_, let ending): ending
        case .stopping(let ending): ending
        case .idle, .transferring, .publishing, .ended: nil
        }
    }

    /// Whether the attempt is over and only waits for operations to end.
    var isStopping: Bool {
        if case .stopping = self { true } else { false }
    }

    /// Whether every byte is received and verified, so that no more bytes will arrive.
    var isFinishing: Bool {
        switch self {
        case .busy(.synchronizing, _), .publishing: true
        case .busy, .idle, .transferring, .stopping, .ended: false
        }
    }

    /// The connection whose body the file is being prepared for.
    var preparesFor: ConnectionID? {
        switch preparation {
        case .receiving(let id), .reserving(let id, _): id
        case .quieting(let id), .rewinding(let id): id
        case .resuming, .finishingRename, .adopting, .trimming, nil: nil
        }
    }

    /// Notes how the attempt must end: the first wish counts, except that a cancellation always replaces it.
    mutating func insist(on wish: Ending) {
        let isCancellation = if case .asked(.cancel) = wish { true } else { false }
        switch self {
        case .busy(let operation, let earlier):
            self = .busy(operation, then: isCancellation ? wish : earlier ?? wish)
        case .stopping where isCancellation: self = .stopping(wish)
        case .idle, .transferring, .publishing, .stopping, .ended: break
        }
    }

    /// Moves from one preparation to the next; how the attempt must end stays.
    mutating func prepare(_ next: Preparation) {
        self = .busy(.preparing(next), then: ending)
    }
}
