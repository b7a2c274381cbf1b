import FerryTesting
import Testing

@testable import FerryCore

/// Runs a download machine through a ``DownloadScenario``: it answers each of the machine's actions in turn.
struct DownloadReplay {
    typealias Machine = DownloadMachine

    let scenario: DownloadScenario
    private(set) var machine: Machine
    /// All actions of the machine so far.
    private(set) var log: [DownloadAction] = []
    /// How many answers were given.
    private(set) var answered = 0
    /// How it ended.
    private(set) var outcome: AttemptOutcome?
    /// Whether publishing has begun, so that the download can no longer be stopped.
    private(set) var isBeyondReturn = false

    private var pending: [DownloadAction] = []
    private var offsets: [ConnectionID: Int64] = [:]
    private var open: Set<ConnectionID> = []
    private var surveys = 0
    private var finished: DownloadProgress?
    private var isPartThere: Bool

    init(scenario: DownloadScenario, machine: Machine) {
        self.scenario = scenario
        self.machine = machine
        isPartThere = machine.progress.part != nil
        hand(.begin)
    }

    /// The claim on a part file in the final progress.
    var claimedPart: PartFileClaim? { finished?.part }

    /// The file operation that is answered next.
    var pendingOperation: DownloadEvent.StorageOperation? {
        switch pending.first {
        case .survey: .survey
        case .createPart, .adopt, .openPart, .replacePart, .trim, .reserve: .prepare
        case .namePart: .name
        case .synchronize: .synchronize
        case .digest, .digestPieces, .inspect: .digest
        case .publish, .synchronizeDirectory: .publish
        case .removePart, .giveBack: .remove
        default: nil
        }
    }

    /// The connection whose answer or body comes next.
    var openConnection: ConnectionID? {
        switch pending.first {
        case .connect(let id, _): id
        case .receive(let id, _, _, _): id
        default: nil
        }
    }

    /// Answers actions until `moment` answers were given, or to the end.
    mutating func run(until moment: Int = 1000) {
        while outcome == nil, answered < moment, !pending.isEmpty {
            let order = pending.removeFirst()
            answered += 1
            for event in answers(to: order) { hand(event) }
        }
    }

    /// Hands an event to the machine.
    mutating func hand(_ event: DownloadEvent) {
        for action in machine.handle(event, at: .epoch) { take(action) }
    }

    /// Lets the next file operation fail.
    mutating func fail(_ operation: DownloadEvent.StorageOperation, _ problem: Problem) {
        pending.removeFirst()
        answered += 1
        hand(.storageFailed(operation, problem))
    }

    /// Ends a connection early.
    mutating func cut(_ id: ConnectionID, _ end: DownloadEvent.ConnectionEnd) {
        pending.removeAll { $0.isAbout(id) }
        open.remove(id)
        hand(.connectionEnded(id, at: offsets[id], end))
    }

    /// Expects that every claimed byte is in a part file that can be found again.
    func expectHonestClaims(_ context: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(open.isEmpty, "\(context): a connection is left open", sourceLocation: sourceLocation)
        // The progress of a cancelled download is a record, not a claim.
        guard let finished, scenario != .stream, outcome != .cancelled else { return }
        let claims = finished.segments.received
        #expect(claims == 0 || finished.part != nil, context, sourceLocation: sourceLocation)
        #expect(claims == 0 || isPartThere || isBeyondReturn, context, sourceLocation: sourceLocation)
    }

    private mutating func take(_ action: DownloadAction) {
        log.append(action)
        switch action {
        case .record, .note, .remember: break
        case .finish(let outcome, let progress):
            self.outcome = outcome
            finished = progress
        case .disconnect(let id):
            // A closed connection answers nothing more.
            pending.removeAll { $0.isAbout(id) }
            pending.append(action)
        case .publish, .synchronizeDirectory:
            isBeyondReturn = true
            pending.append(action)
        case .connect(let id, _):
            open.insert(id)
            pending.append(action)
        case .removePart where machine.stage == .publishing:
            isBeyondReturn = true
            pending.append(action)
        default: pending.append(action)
        }
    }

    private mutating func answers(to order: DownloadAction) -> [DownloadEvent] {
        switch order {
        case .survey:
            surveys += 1
            return [.surveyed(scenario.survey(surveys))]
        case .createPart: return [.partReady(DownloadScenario.identity)]
        case .namePart:
            isPartThere = true
            return [.partNamed]
        case .adopt: return [.adopted]
        case .openPart(_, let identity): return [.partReady(identity)]
        case .replacePart:
            isPartThere = false
            return [.partReady(DownloadScenario.identity)]
        case .connect(let id, let request): return [.head(id, scenario.answer(to: request))]
        case .receive(let id, let offset, let limit, let overlap): return body(id, offset, limit, overlap)
        case .disconnect(let id):
            guard open.remove(id) != nil else { return [] }
            return [.connectionEnded(id, at: offsets[id], .disconnected)]
        case .synchronize: return [.synchronized]
        case .digest(let algorithm, _):
            return [.digested(Checksum(algorithm: algorithm, digest: [UInt8](repeating: 7, count: 32)))]
        case .digestPieces: return [.piecesDigested(wrong: [])]
        case .inspect: return [.inspected(nil)]
        case .publish: return [.published(modified: nil)]
        case .synchronizeDirectory: return [.directorySynchronized]
        case .removePart, .giveBack:
            isPartThere = false
            return [.partRemoved]
        case .reserve: return [.reserved]
        case .trim: return [.trimmed]
        case .record, .remember, .note, .finish, .connectBeside, .shorten, .sample, .recall, .decode, .expect:
            return []
        }
    }

    private mutating func body(
        _ id: ConnectionID,
        _ offset: Int64,
        _ limit: Int64?,
        _ overlap: Int64
    ) -> [DownloadEvent] {
        open.remove(id)
        if overlap > 0, scenario == .differing {
            offsets[id] = offset
            return [.connectionEnded(id, at: offset + overlap, .overlapDiffers)]
        }
        let end = limit.map { offset + $0 } ?? DownloadScenario.length
        offsets[id] = end
        return [.advanced([id: offset + overlap]), .connectionEnded(id, at: end, .complete)]
    }
}

extension DownloadAction {
    /// Whether it is an action that this connection has yet to answer.
    fileprivate func isAbout(_ id: ConnectionID) -> Bool {
        switch self {
        case .connect(let other, _), .receive(let other, _, _, _): other == id
        default: false
        }
    }
}
