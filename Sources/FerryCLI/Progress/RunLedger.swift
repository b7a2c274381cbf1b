import Ferry
import FerryFrontend

/// What a foreground command knows about the transfers that it runs or follows, and which changes are new.
///
/// Pure: updates and the time are the input; announcements and the present picture are the output. It keeps only
/// transfers that are not final, so its size does not grow with the work done. Of very many that have not started it
/// keeps only the IDs.
struct RunLedger: Sendable {
    /// A transfer that is not final.
    struct Entry: Sendable {
        var transfer: Transfer
        var progress: TransferProgress
        /// When it was first seen active.
        var began: Instant?
        var lastTold: Instant?
        var speed = FollowedSpeed()
    }

    /// Transfers that are not final, except the ``untouched``.
    fileprivate(set) var entries: [TransferID: Entry] = [:]
    /// Queued or paused transfers without bytes, when there are too many to show.
    fileprivate var untouched: [TransferID: Untouched] = [:]

    /// The state of a transfer that has not started.
    fileprivate enum Untouched: Hashable, Sendable {
        case queued
        case paused
    }

    /// From this number of entries on, transfers that have not started get no entry.
    static let mostQueued = 100
    /// The transfers by how they ended.
    private(set) var tally = Tally()
    private var settled: Set<TransferID> = []
    /// Whether the run has no end. Then only running transfers are kept, those that ended long ago are forgotten, and
    /// no failure is kept for an exit status.
    var isEndless = false

    /// Number of further transfers that are not final and were not read, because an observer need not read all.
    var unread = 0

    /// Maximum ended transfers remembered when the run has no end.
    static let mostSettled = 20_000
    private var order: [TransferID: Int]
    /// The exit status of each failed or cancelled transfer, by its place.
    private var failures: [Int64: ExitStatus] = [:]
    private let tellingInterval: Duration

    /// Counts transfers by how they ended, and the bytes of completed ones.
    struct Tally: Hashable, Sendable {
        var completed = 0
        var failed = 0
        var cancelled = 0
        var bytes: Int64 = 0

        /// Number of ended transfers.
        var ended: Int { completed + failed + cancelled }
    }

    /// Creates an empty ledger.
    ///
    /// - Parameters:
    ///   - order: the transfers in the order of the command line, which decides whose failure is the first.
    ///   - tellingInterval: interval between two progress announcements of a transfer.
    init(order: [TransferID], tellingInterval: Duration) {
        self.order = Dictionary(zip(order, 0...)) { first, _ in first }
        self.tellingInterval = tellingInterval
    }

    /// Notes an update and returns what is new, in order.
    mutating func take(_ update: TransferUpdate, at now: Instant) -> [Announcement] {
        let transfer = update.transfer
        var news = update.notes.map { Announcement(transfer, update.progress, .note($0)) }
        let known = entries[transfer.id]
        let standing = untouched.removeValue(forKey: transfer.id)
        if transfer.state.isFinal {
            guard settled.insert(transfer.id).inserted else { return news }
            if isEndless, settled.count > Self.mostSettled { forgetTheOldest() }
            entries[transfer.id] = nil
            count(transfer, update.progress)
            let took = known?.began.map { $0.duration(to: now) }
            news.append(Announcement(transfer, update.progress, .state(took: took)))
            return news
        }
        if settled.remove(transfer.id) != nil {
            // Of the final states, only `failed` has an exit.
            tally.failed -= 1
            failures[place(of: transfer.id)] = nil
        }
        var entry = known ?? Entry(transfer: transfer, progress: update.progress)
        entry.speed.sample(update.progress.received, isRunning: transfer.state == .active, at: now)
        entry.transfer = transfer
        entry.progress = update.progress
        if entry.progress.bytesPerSecond == nil, transfer.state == .active {
            entry.progress.bytesPerSecond = entry.speed.bytesPerSecond
        }
        if transfer.state == .active, entry.began == nil { entry.began = now }
        let isUnchanged =
            standing.map { $0 == Untouched(transfer) } ?? (known?.transfer.state == transfer.state)
        if !isUnchanged {
            news.append(Announcement(transfer, entry.progress, .state(took: nil)))
            entry.lastTold = now
        } else if transfer.state == .active, (entry.lastTold ?? now).duration(to: now) >= tellingInterval {
            news.append(Announcement(transfer, entry.progress, .progress))
            entry.lastTold = now
        }
        keep(entry)
        return news
    }

    private mutating func keep(_ entry: Entry) {
        let id = entry.transfer.id
        // An endless run drops transfers that no longer run here; what others do with them is not reported.
        if isEndless, entry.transfer.state != .active { return entries[id] = nil }
        let isAmongMany = entries[id] == nil && entries.count >= Self.mostQueued
        if isAmongMany, let standing = Untouched(entry.transfer) {
            untouched[id] = standing
        } else {
            entries[id] = entry
        }
    }

    private mutating func forgetTheOldest() {
        let oldest = settled.sorted().prefix(settled.count / 2)
        settled.subtract(oldest)
    }

    private mutating func count(_ transfer: Transfer, _ progress: TransferProgress) {
        switch transfer.state {
        case .completed:
            tally.completed += 1
            tally.bytes += progress.received
        case .failed: tally.failed += 1
        case .cancelled: tally.cancelled += 1
        case .queued, .active, .waiting, .paused: return
        }
        let status = ExitStatus(transfer.state)
        if status != .done, !isEndless { failures[place(of: transfer.id)] = status }
    }

    /// Transfers from the command line come first, in their order; others follow in the order of their IDs.
    private func place(of id: TransferID) -> Int64 {
        order[id].map { Int64($0) } ?? Int64(order.count) + id.rawValue
    }

    /// The exit status when nothing more happens: that of the first transfer, in the order of the command line, that
    /// is not done.
    var exitStatus: ExitStatus {
        var all = failures
        for entry in entries.values { all[place(of: entry.transfer.id)] = ExitStatus(entry.transfer.state) }
        if let first = untouched.keys.map(place).min() { all[first] = .unfinished }
        return all.min { $0.key < $1.key }?.value ?? .done
    }

    /// Whether a transfer that is not final has run.
    var hasStarted: Bool { entries.values.contains { $0.began != nil } }

    /// Number of transfers that are not final.
    var unfinishedCount: Int { entries.count + untouched.count }

    /// The IDs of transfers that are not final, in order.
    var unfinishedIDs: [TransferID] { (Array(entries.keys) + untouched.keys).sorted() }

    /// Whether a transfer is known and not final.
    func knows(_ id: TransferID) -> Bool { entries[id] != nil || untouched[id] != nil }

    /// Transfers that are not final and have an entry, in the order of their IDs.
    var unfinished: [Entry] {
        entries.values.sorted { $0.transfer.id < $1.transfer.id }
    }

    /// The combined progress of all transfers. The total is known only if every total is.
    var total: TransferProgress {
        let isAllKnown = untouched.isEmpty && unread == 0
        var sum = TransferProgress(received: tally.bytes, total: isAllKnown ? tally.bytes : nil)
        for entry in entries.values {
            sum.received = sum.received.addingSaturated(entry.progress.received)
            sum.total = sum.total.flatMap { sum in entry.progress.total.map { sum.addingSaturated($0) } }
            if let speed = entry.progress.bytesPerSecond, entry.transfer.state == .active {
                sum.bytesPerSecond = (sum.bytesPerSecond ?? 0) + speed
            }
        }
        return sum
    }

    /// The progress region at `now`, with at most `limit` rows.
    func board(at now: Instant, limit: Int, processes: OwnerDirectory = OwnerDirectory()) -> ProgressBoard {
        let visible = unfinished.filter { entry in
            switch entry.transfer.state {
            case .active, .waiting: true
            default: false
            }
        }
        .sorted {
            ($0.transfer.state == .active ? 0 : 1, $0.transfer.id) < (
                $1.transfer.state == .active ? 0 : 1, $1.transfer.id
            )
        }
        var shown = visible.prefix(limit)
        if visible.isEmpty { shown = unfinished.prefix(1) }
        let rows = shown.map { entry in
            var row = ProgressRow(entry.transfer, progress: entry.progress, at: now)
            if let process = processes.otherProcess(of: entry.transfer), case .text(let text) = row.content {
                row.content = .text("\(text) (process \(process))")
            }
            return row
        }
        var board = ProgressBoard(rows: rows, others: unfinishedCount + unread - rows.count)
        let count = unfinishedCount + unread + tally.ended
        if count > 1 {
            board.total = ProgressRow(
                name: "\(tally.completed) of \(count)" + (tally.failed > 0 ? ", \(tally.failed) failed" : ""),
                content: .figures(ProgressRow.Figures(total))
            )
        }
        return board
    }

    /// Replaces the last reported progress of a running transfer with its live progress.
    mutating func refresh(_ id: TransferID, _ progress: TransferProgress) {
        guard entries[id]?.transfer.state == .active else { return }
        entries[id]?.progress = progress
    }
}

extension RunLedger {
    /// Drops a transfer that was removed.
    mutating func forget(_ id: TransferID) {
        entries[id] = nil
        untouched[id] = nil
    }
}

extension RunLedger.Untouched {
    /// `nil` for a transfer that has bytes, a known length, or another state.
    fileprivate init?(_ transfer: Transfer) {
        guard transfer.recordedProgress == TransferProgress(received: 0, total: nil) else { return nil }
        switch transfer.state {
        case .queued: self = .queued
        case .paused: self = .paused
        case .active, .waiting, .completed, .failed, .cancelled: return nil
        }
    }
}
