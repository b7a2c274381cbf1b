import Ferry

/// What a command in the foreground knows of the transfers that it runs or follows, and what of it is news.
///
/// Pure: updates and the time go in, announcements and the present picture come out. Only transfers that are not
/// final are kept, so its size does not grow with what has been done; and of a great many that have not begun only the numbers.
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

    /// Those that are not final, but for the ``untouched``.
    fileprivate(set) var entries: [TransferID: Entry] = [:]
    /// Those of which nothing is there yet and which are not shown: there are too many of them.
    fileprivate var untouched: [TransferID: Untouched] = [:]

    /// Where one stands that has not begun.
    fileprivate enum Untouched: Hashable, Sendable {
        case queued
        case paused
    }

    /// With so many entries those that have not begun get none.
    static let mostQueued = 100
    /// How many ended in each way.
    private(set) var tally = Tally()
    private var settled: Set<TransferID> = []
    /// Whether it goes on for ever. Then only those that run are kept; those that ended long ago are forgotten, and no
    /// failure is remembered for an end that does not come.
    var isEndless = false

    /// How many more are not final than are known here, as who looks on need not read all.
    var unread = 0

    /// How many of those that have ended are known as such when it goes on for ever.
    static let mostSettled = 20_000
    private var order: [TransferID: Int]
    /// The status of each one that ended without being done, by its place.
    private var failures: [Int64: ExitStatus] = [:]
    private let tellingInterval: Duration

    /// A number of transfers by how they ended, and the bytes of those that are complete.
    struct Tally: Hashable, Sendable {
        var completed = 0
        var failed = 0
        var cancelled = 0
        var bytes: Int64 = 0

        /// How many ended.
        var ended: Int { completed + failed + cancelled }
    }

    /// Begins with nothing.
    ///
    /// - Parameters:
    ///   - order: the transfers in the order of the command line, which decides whose failure is the first.
    ///   - tellingInterval: how long a transfer runs between two announcements of its progress.
    init(order: [TransferID], tellingInterval: Duration) {
        self.order = Dictionary(zip(order, 0...)) { first, _ in first }
        self.tellingInterval = tellingInterval
    }

    /// Takes note of an update and returns what is new, in order.
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
        // Who runs a queue for ever is not told what others do with those that do not run here any more.
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

    /// Those that were named come in their order, any others behind them in the order of their numbers.
    private func place(of id: TransferID) -> Int64 {
        order[id].map { Int64($0) } ?? Int64(order.count) + id.rawValue
    }

    /// The status to end with when nothing more happens: that of the first one, in the order of the command
    /// line, which is not done.
    var exitStatus: ExitStatus {
        var all = failures
        for entry in entries.values { all[place(of: entry.transfer.id)] = ExitStatus(entry.transfer.state) }
        if let first = untouched.keys.map(place).min() { all[first] = .unfinished }
        return all.min { $0.key < $1.key }?.value ?? .done
    }

    /// How many are not final.
    var unfinishedCount: Int { entries.count + untouched.count }

    /// The numbers of those that are not final, in order.
    var unfinishedIDs: [TransferID] { (Array(entries.keys) + untouched.keys).sorted() }

    /// Whether a transfer is known that is not final.
    func knows(_ id: TransferID) -> Bool { entries[id] != nil || untouched[id] != nil }

    /// The ones that are not final and have begun or are shown, in the order of their numbers.
    var unfinished: [Entry] {
        entries.values.sorted { $0.transfer.id < $1.transfer.id }
    }

    /// All transfers as one; the total is known when each one's is.
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

    /// The progress region as it is at `now`; no more rows are made than `limit`.
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

    /// Puts the live progress of a running transfer in place of the one that was last reported.
    mutating func refresh(_ id: TransferID, _ progress: TransferProgress) {
        guard entries[id]?.transfer.state == .active else { return }
        entries[id]?.progress = progress
    }
}

extension RunLedger {
    /// Takes a transfer that was removed off the picture.
    mutating func forget(_ id: TransferID) {
        entries[id] = nil
        untouched[id] = nil
    }
}

extension RunLedger.Untouched {
    /// `nil` for one that has come further.
    fileprivate init?(_ transfer: Transfer) {
        guard transfer.recordedProgress == TransferProgress(received: 0, total: nil) else { return nil }
        switch transfer.state {
        case .queued: self = .queued
        case .paused: self = .paused
        case .active, .waiting, .completed, .failed, .cancelled: return nil
        }
    }
}
