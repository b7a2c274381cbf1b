import FerryCore
import Testing

/// Sample values for the behaviours of a store.
enum Sample {
    /// The moment at which the samples start.
    static let start = Instant(seconds: 1_700_000_000)

    /// A failure without a real cause.
    static let failure = TransferFailure(
        .connectionLost,
        "The connection broke.",
        remedies: [.retry],
        cause: .timeout
    )

    /// A process.
    static func process(_ pid: Int32 = 1) -> ProcessIdentity {
        ProcessIdentity(pid: pid, startTime: 7, boot: BootID(rawValue: "boot"))
    }

    /// A transfer to add; another name makes another transfer.
    static func new(
        _ name: String,
        priority: Int = 0,
        after others: [TransferID] = []
    ) throws -> NewTransfer {
        try NewTransfer(specification(name), priority: priority, after: others)
    }

    /// The specification of a download with this name.
    static func specification(_ name: String) throws -> DownloadSpecification {
        DownloadSpecification(
            url: try HTTPURL(parsing: "https://example.com/\(name)"),
            destination: .file(directory: "/downloads", name: nil)
        )
    }

    /// A part file.
    static let part = PartFileClaim(
        name: .fallback,
        identity: FileIdentity(device: 1, inode: 2),
        boot: BootID(rawValue: "boot"),
        modified: 1_700_000_000_123_456_789
    )

    /// Progress with parts that transitions drop or move.
    static var experienced: DownloadProgress {
        var progress = DownloadProgress()
        progress.mirroring.excluded = [.own: .wrongBytes]
        return progress
    }

    /// A ledger with values that transitions drop or keep.
    static var ledger: AttemptLedger {
        var ledger = AttemptLedger()
        ledger.bestReceived = .max
        ledger.deaths = 3
        ledger.receivedAtDeath = 1 << 40
        ledger.unknownHosts = 2
        return ledger
    }

    /// Progress with `received` bytes.
    static func progress(received: Int64, of length: Int64 = 1_000) throws -> DownloadProgress {
        var progress = DownloadProgress()
        let segment = Segment(range: 0..<length, written: received, durable: 0)
        progress.segments = try #require(SegmentMap(segments: [segment]))
        return progress
    }
}

extension Instant {
    /// This moment plus a number of milliseconds.
    static func + (lhs: Instant, milliseconds: Int64) -> Instant {
        lhs.advanced(by: .milliseconds(milliseconds))
    }
}

extension TransferStore {
    /// Adds one transfer by name.
    func addOne(
        _ name: String,
        priority: Int = 0,
        after others: [TransferID] = [],
        holder: OwnerID? = nil,
        at now: Instant = Sample.start
    ) async throws -> Transfer {
        let new = try Sample.new(name, priority: priority, after: others)
        let additions = try await add([new], holder: holder, at: now)
        let addition = try #require(additions.first)
        #expect(additions.count == 1)
        return addition.transfer
    }

    /// Claims exactly that transfer.
    func claimOne(
        _ id: TransferID,
        for owner: OwnerID,
        at now: Instant = Sample.start
    ) async throws -> (transfer: Transfer, claim: Claim) {
        let claimed = try await claim(upTo: 1, only: [id], for: owner, at: now)
        let transfer = try #require(claimed.first)
        #expect(transfer.id == id)
        return (transfer, try #require(transfer.claim))
    }

    /// Adds a transfer and brings it into a state.
    func addOne(
        _ name: String,
        in state: TransferState,
        owner: OwnerID,
        queue: String = NewTransfer.defaultQueue
    ) async throws -> Transfer {
        try await bring(addOne(name, queue: queue), to: state, owner: owner)
    }

    /// Brings a queued transfer into a state.
    func bring(_ added: Transfer, to state: TransferState, owner: OwnerID) async throws -> Transfer {
        switch state {
        case .queued:
            return try await existing(added.id)
        case .active:
            return try await claimOne(added.id, for: owner).transfer
        case .paused:
            return try await ask(.pause, of: added.id, at: Sample.start)
        case .cancelled:
            return try await ask(.cancel(keepingPart: false), of: added.id, at: Sample.start)
        case .waiting, .completed, .failed:
            let claim = try await claimOne(added.id, for: owner).claim
            return try await settle(
                claim,
                as: Settlement(state, progress: Sample.experienced, ledger: Sample.ledger),
                at: Sample.start
            )
        }
    }

    /// The transfer, which must exist.
    func existing(_ id: TransferID) async throws -> Transfer {
        try #require(try await transfer(id))
    }

    /// The numbers of the transfers that a claim takes.
    func claimIDs(
        upTo limit: Int,
        only: TransferIDSet? = nil,
        for owner: OwnerID,
        at now: Instant = Sample.start
    ) async throws -> [TransferID] {
        try await claim(upTo: limit, only: only, for: owner, at: now).map(\.id)
    }
}

/// Every state, each with sample content.
let everyState: [TransferState] = [
    .queued, .active, .waiting(.retry(at: Sample.start + 5)), .waiting(.network), .waiting(.dependency),
    .waiting(.applicationInactive), .waiting(.diskSpace(needed: .max)), .waiting(.diskMount),
    .waiting(.newURL), .waiting(.window(opens: Sample.start + 9)), .paused, .completed,
    .failed(Sample.failure), .cancelled,
]

/// Fails unless `body` throws a store error that `isExpected` accepts.
func expectError(
    _ isExpected: (StoreError) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as StoreError {
        #expect(isExpected(error), "\(error)", sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}

extension StoreError {
    /// Whether it reports that the state of that transfer does not allow the action.
    func isNotPossible(_ id: TransferID) -> Bool {
        if case .notPossible(id, let reason, _) = self { return !reason.isEmpty }
        return false
    }

    /// Whether it reports that the store cannot be used this way.
    var isUnavailable: Bool {
        if case .unavailable = self { return true }
        return self == .ownerRemoved
    }
}
