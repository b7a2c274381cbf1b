import FerryCore
import GRDB

/// The lines of a store that one owner may claim from: free lines and its own.
///
/// Reads only what a claim needs: the heads of lines in order, page by page, and more transfers of a line whose head is
/// wanted.
struct StoredLines: ClaimLines {
    typealias Failure = any Error

    /// One line of a queue, as far as it was read.
    private struct Front {
        let line: HeadKey
        /// Transfers that were read and not taken yet.
        var read: ArraySlice<ClaimCandidate> = []
        /// The place up to which it was read.
        var last: LinePlace
        var isReadToTheEnd = false
        /// The number to read next. It starts small, because a claim often takes few from each of many lines.
        var portion = 2

        /// The earliest possible place of the rest of the line.
        var bound: LinePlace { read.first?.place ?? last }
    }

    /// How far the heads of a queue were read, for one holder.
    private struct Heads {
        let owner: Int64
        var last: LinePlace?
        var isReadToTheEnd = false
    }

    private struct Queue {
        var fronts: [Front] = []
        var heads: [Heads]
    }

    private let view: StoreView
    private var db: Database { view.db }
    private let strict: [String: TransferQueue]
    private let claimant: Claimant
    private let now: Instant
    /// Maximum number read at once.
    private let most: Int
    private let wanted: TransferIDSet?
    private let unwanted: Set<TransferID>
    private var bound: Int
    /// Whether the bound was reached. The lines then appear empty.
    private(set) var isTooLong = false
    private var known: [String: Queue] = [:]
    /// The claimable front of strict queues, as far as it was read.
    private var fronts: [String: [ClaimCandidate]] = [:]

    /// The number of heads read at once.
    private static let page = 32

    /// Creates lines; reads nothing yet.
    ///
    /// - Parameters:
    ///   - strict: the strict queues, by their names.
    ///   - limit: about how many transfers will be taken.
    ///   - wanted: if given, only these are in line.
    ///   - unwanted: none of these is in line.
    ///   - bound: maximum transfers to look at; beyond it, ``isTooLong`` is set.
    init(
        _ view: StoreView,
        strict: [String: TransferQueue],
        for claimant: Claimant,
        at now: Instant,
        limit: Int,
        wanted: TransferIDSet?,
        unwanted: Set<TransferID>,
        bound: Int
    ) {
        self.view = view
        self.strict = strict
        self.claimant = claimant
        self.now = now
        most = max(1, min(limit, 256))
        self.wanted = wanted
        self.unwanted = unwanted
        self.bound = bound
    }

    /// The queues with a transfer in line, for any holder.
    mutating func queues() throws -> [String] { try view.queuesInLine() }

    /// The first transfer in a queue whose host is admitted.
    mutating func first(
        of queue: String,
        where isAdmitted: (String) -> Bool
    ) throws -> ClaimCandidate? {
        if let strict = strict[queue] { return try front(of: strict).first { isAdmitted($0.host) } }
        var state =
            known.removeValue(forKey: queue)
            ?? Queue(heads: [Heads(owner: 0), Heads(owner: claimant.owner.rawValue)])
        defer { known[queue] = state }
        while !isTooLong {
            let best = state.fronts.indices.filter { isAdmitted(state.fronts[$0].line.host) }
                .min { state.fronts[$0].bound < state.fronts[$1].bound }
            if let behind = state.heads.firstIndex(where: { heads in
                // An unread head may come before the best one read so far.
                !heads.isReadToTheEnd
                    && (best.map { heads.last ?? Self.foremost < state.fronts[$0].bound } ?? true)
            }) {
                state.fronts += try read(&state.heads[behind], of: queue)
                continue
            }
            guard let best else { return nil }
            if let first = state.fronts[best].read.first { return first }
            if state.fronts[best].isReadToTheEnd {
                state.fronts.remove(at: best)
            } else {
                try read(&state.fronts[best])
            }
        }
        return nil
    }

    /// Removes the transfer that ``first(of:where:)`` returned last for that queue.
    mutating func remove(_ candidate: ClaimCandidate) {
        fronts[candidate.queue]?.removeAll { $0.id == candidate.id }
        guard var queue = known.removeValue(forKey: candidate.queue) else { return }
        if let index = queue.fronts.firstIndex(where: { $0.read.first?.id == candidate.id }) {
            queue.fronts[index].read.removeFirst()
        }
        known[candidate.queue] = queue
    }

    // MARK: Reading

    private mutating func front(of queue: TransferQueue) throws -> [ClaimCandidate] {
        if let known = fronts[queue.name] { return known }
        let front = try view.front(of: queue, for: claimant, at: now).filter { candidate in
            wanted?.contains(candidate.id) != false && !unwanted.contains(candidate.id)
        }
        fronts[queue.name] = front
        return front
    }

    private static let foremost = LinePlace(rawValue: .min, id: TransferID(rawValue: .min))

    private func read(_ heads: inout Heads, of queue: String) throws -> [Front] {
        let last = heads.last ?? Self.foremost
        let owner = heads.owner
        var fronts: [Front] = []
        var end = heads.last
        try BareStatement(Self.nextHeads, on: db).forEach(
            { values in
                values.add(queue)
                values.add(owner)
                values.add(last.rawValue)
                values.add(last.id.rawValue)
                values.add(Self.page)
                values.add(claimant.leastBackground)
            },
            codec: view.codec
        ) { row in
            let place = LinePlace(
                rawValue: try row.integer(1),
                id: TransferID(rawValue: try row.integer(2))
            )
            let line = HeadKey(
                queue: queue,
                owner: owner,
                host: try row.text(0),
                runsInBackground: try row.integer(3) != 0
            )
            let before = TransferID(rawValue: place.id.rawValue.addingSaturated(-1))
            fronts.append(Front(line: line, last: LinePlace(rawValue: place.rawValue, id: before)))
            end = place
        }
        heads.last = end
        heads.isReadToTheEnd = fronts.count < Self.page
        return fronts
    }

    /// Reads the next transfers of a line.
    private mutating func read(_ front: inout Front) throws {
        let (line, last, portion) = (front.line, front.last, front.portion)
        let horizon = now.advanced(by: WaitCondition.farthestRetry)
        var (found, looked, end) = ([ClaimCandidate](), 0, last)
        try BareStatement(line.owner == 0 ? Self.nextFree : Self.nextHeld, on: db).forEach(
            { values in
                values.add(now.milliseconds)
                values.add(horizon.milliseconds)
                values.add(line.queue)
                values.add(line.host)
                values.add(last.rawValue)
                values.add(last.id.rawValue)
                values.add(portion)
                values.add(line.runsInBackground)
                if line.owner != 0 { values.add(line.owner) }
            },
            codec: view.codec
        ) { row in
            end = LinePlace(rawValue: try row.integer(1), id: TransferID(rawValue: try row.integer(0)))
            looked += 1
            guard wanted?.contains(end.id) != false, !unwanted.contains(end.id) else { return }
            let since = try row.integer(2)
            found.append(ClaimCandidate(queue: line.queue, host: line.host, place: end, since: since))
        }
        bound -= looked
        isTooLong = bound < 0
        front.last = end
        front.isReadToTheEnd = looked < portion
        front.read = found[...]
        front.portion = max(portion, min(portion * 2, most))
    }

    static let firstQueue = "SELECT min(queue) FROM head"

    static let nextQueue = "SELECT min(queue) FROM head WHERE queue > ?"

    static let nextHeads = """
        SELECT host, place, transfer, runs_in_background FROM head
        WHERE queue = ?1 AND owner = ?2 AND (place, transfer) > (?3, ?4) AND runs_in_background >= ?6
        ORDER BY place, transfer LIMIT ?5
        """

    /// Whether a transfer in line may run: it is due, and this Ferry knows what it does.
    ///
    /// The time is checked again, because the clock may have moved since the row was noted as due. Only these waits
    /// have a moment. A moment in any other row is damage, which the claim of the row detects.
    static let isDue = """
        (\(StoreSchema.isOfKnownKind("transfer.id")) AND (state <> 'waiting' OR ifnull(condition, '') NOT IN ('retry', 'window') OR wake_at IS NULL OR wake_at <= ?1 OR (wake_at > ?2 AND condition = 'retry')
            OR (updated - ?1 > \(WaitCondition.longestDelay.wholeMilliseconds) AND condition = 'retry')
            OR (wake_at - ?1 > \(WaitCondition.farthestOpening.wholeMilliseconds) AND condition = 'window')))
        """

    /// Free transfers of a line.
    static let nextFree = """
        SELECT id, place, coalesce(front, lined) FROM transfer
        WHERE runnable = 1 AND queue = ?3 AND owner IS NULL AND host = ?4 AND runs_in_background = ?8
            AND (place, id) > (?5, ?6) AND \(isDue)
        ORDER BY place, id LIMIT ?7
        """

    /// The same for transfers that one owner holds.
    static let nextHeld = """
        SELECT id, place, coalesce(front, lined) FROM transfer
        WHERE runnable = 1 AND queue = ?3 AND owner = ?9 AND host = ?4 AND runs_in_background = ?8
            AND (place, id) > (?5, ?6) AND \(isDue)
        ORDER BY place, id LIMIT ?7
        """
}
