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
        /// When bytes were last seen to arrive, or when it became active.
        var gained: Instant?

        /// How long nothing has arrived, if that is long enough to say so.
        func stall(at now: Instant) -> Duration? {
            guard transfer.state == .active, let gained else { return nil }
            let time = gained.duration(to: now)
            return time >= RunLedger.leastStall ? time : nil
        }

        /// Takes the present progress.
        fileprivate mutating func take(_ progress: TransferProgress, at now: Instant) {
            let isActive = transfer.state == .active
            if !isActive || gained == nil || progress.received != self.progress.received {
                gained = isActive ? now : nil
            }
            self.progress = progress
        }
    }

    /// The time without bytes after which a transfer is shown as stalled.
    static let leastStall: Duration = .seconds(5)

    /// Transfers that are not final, except the ``untouched``.
    fileprivate(set) var entries: [TransferID: Entry] = [:]
    /// Queued or paused transfers without bytes, when there are too many to show.
    fileprivate var untouched = UntouchedTransfers()

    /// The state of a transfer that has not started.
    fileprivate enum Untouched: Hashable, Sendable {
        case queued
        case paused
    }

    /// Transfers that have not started, by their state.
    fileprivate struct UntouchedTransfers: Sendable {
        private var queued = TransferIDSet()
        private var paused = TransferIDSet()

        var count: Int { queued.count + paused.count }
        var isEmpty: Bool { count == 0 }
        var ids: [TransferID] { Array(queued) + paused }

        subscript(id: TransferID) -> Untouched? {
            get { queued.contains(id) ? .queued : paused.contains(id) ? .paused : nil }
            set {
                if newValue == .queued { queued.insert(id) } else { queued.remove(id) }
                if newValue == .paused { paused.insert(id) } else { paused.remove(id) }
            }
        }
    }

    /// From this number of entries on, transfers that have not started get no entry.
    static let mostQueued = 100
    /// The transfers by how they ended.
    private(set) var tally = Tally()
    /// The bytes that transfers had received before this command ran them.
    private var earlier: [TransferID: Int64] = [:]
    /// Those of the completed transfers.
    private var earlierOfCompleted: Int64 = 0
    private var settled = TransferIDSet()
    /// The downloads that were refused before their first byte because something has their names.
    private(set) var refused: Set<TransferID> = []
    /// Whether the run has no end. Then only running transfers are kept, those that ended long ago are forgotten, and
    /// no failure is kept for an exit status.
    var isEndless = false

    /// Whether a download that failed because a file has its name counts as ``ExitStatus/fileExists``, even if the failure is
    /// that the file has another digest.
    var passesFilesInTheWay = false

    /// Whether the transfers are only watched. Then all of each counts, and those that wait for their turn have rows.
    var isWatching = false

    /// Number of further transfers that are not final and were not read, because an observer need not read all.
    var unread = 0

    /// Maximum ended transfers remembered when the run has no end.
    static let mostSettled = 20_000
    private var order = CommandOrder()
    /// The exit status of each failed or cancelled transfer, by its place.
    private var failures: [Int64: ExitStatus] = [:]
    private let tellingInterval: Duration

    /// Counts transfers by how they ended, and the bytes of completed ones.
    struct Tally: Hashable, Sendable {
        var completed = 0
        var failed = 0
        var cancelled = 0
        /// Those of the completed ones that were complete before the command began.
        var completedBefore = 0
        /// Completed ones for which the server had the same version, so that no bytes were moved.
        var upToDate = 0
        /// The bytes of completed transfers that arrived during this command.
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
        self.order.append(order)
        self.tellingInterval = tellingInterval
    }

    /// Notes the next transfers of the command line.
    mutating func expect(_ ids: [TransferID]) { order.append(ids) }

    /// Notes that the next download of the command line was refused, so that it has no transfer.
    mutating func refuse(_ status: ExitStatus) {
        tally.failed += 1
        failures[order.skip()] = status
    }

    /// Notes a transfer with which the command begins, and returns what is new, in order.
    mutating func begin(_ update: TransferUpdate, at now: Instant) -> [Announcement] {
        if update.progress.received > 0 { earlier[update.transfer.id] = update.progress.received }
        guard update.transfer.state == .completed else { return take(update, at: now) }
        tally.completedBefore += 1
        let upToDate = tally.upToDate
        // It was an earlier command that found it up to date.
        defer { tally.upToDate = upToDate }
        return take(update, at: now)
    }

    /// Notes an update and returns what is new, in order.
    mutating func take(_ update: TransferUpdate, at now: Instant) -> [Announcement] {
        let transfer = update.transfer
        noteEarlier(update)
        var news = update.notes.map { Announcement(transfer, update.progress, .note($0)) }
        let known = entries[transfer.id]
        let standing = untouched[transfer.id]
        untouched[transfer.id] = nil
        if transfer.state.isFinal {
            guard !settled.contains(transfer.id) else { return news }
            settled.insert(transfer.id)
            if isEndless, settled.count > Self.mostSettled { forgetTheOldest() }
            entries[transfer.id] = nil
            count(transfer, update.progress)
            let took = known.flatMap { isWatching ? transfer.lastAttemptTime : $0.began?.duration(to: now) }
            news.append(Announcement(transfer, update.progress, .state(took: took)))
            return news
        }
        if settled.contains(transfer.id) {
            settled.remove(transfer.id)
            // Of the final states, only `failed` has an exit.
            tally.failed -= 1
            failures[place(of: transfer.id)] = nil
            refused.remove(transfer.id)
        }
        var entry = known ?? Entry(transfer: transfer, progress: update.progress)
        entry.speed.sample(update.progress.received, isRunning: transfer.state == .active, at: now)
        entry.transfer = transfer
        entry.take(update.progress, at: now)
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

    /// Notes the bytes that a transfer has when it is first seen. One that starts over has none of them any more.
    private mutating func noteEarlier(_ update: TransferUpdate) {
        guard !isWatching else { return }
        let (id, received) = (update.transfer.id, update.progress.received)
        if let before = earlier[id] {
            if received < before { earlier[id] = received }
        } else if !knows(id), !update.transfer.state.isFinal, received > 0 {
            earlier[id] = received
        }
    }

    private mutating func keep(_ entry: Entry) {
        let id = entry.transfer.id
        // An endless run drops transfers that no longer run here; what others do with them is not reported.
        if isEndless, entry.transfer.state != .active {
            earlier[id] = nil
            return entries[id] = nil
        }
        let isAmongMany = entries[id] == nil && entries.count >= Self.mostQueued
        if isAmongMany, let standing = Untouched(entry.transfer) {
            untouched[id] = standing
        } else {
            entries[id] = entry
        }
    }

    private mutating func forgetTheOldest() {
        for id in settled.sorted().prefix(settled.count / 2) { settled.remove(id) }
    }

    private mutating func count(_ transfer: Transfer, _ progress: TransferProgress) {
        let before = earlier.removeValue(forKey: transfer.id) ?? 0
        switch transfer.state {
        case .completed:
            tally.completed += 1
            guard !transfer.isUpToDate else {
                tally.upToDate += 1
                break
            }
            tally.bytes = tally.bytes.addingSaturated(progress.received - before)
            earlierOfCompleted = earlierOfCompleted.addingSaturated(before)
        case .failed:
            tally.failed += 1
            if !isEndless, transfer.isRefusedForItsName { refused.insert(transfer.id) }
        case .cancelled: tally.cancelled += 1
        case .queued, .active, .waiting, .paused: return
        }
        let isInTheWay = passesFilesInTheWay && transfer.hasFileInTheWay
        let status: ExitStatus = isInTheWay ? .fileExists : ExitStatus(transfer.state)
        if status != .done, !isEndless { failures[place(of: transfer.id)] = status }
    }

    /// Transfers from the command line come first, in their order; others follow in the order of their IDs.
    private func place(of id: TransferID) -> Int64 {
        order[id] ?? order.count + id.rawValue
    }

    /// The exit status when nothing more happens: that of the first transfer, in the order of the command line, that failed
    /// or was cancelled. What is only unfinished hides no failure: a script may repeat the command after status 7.
    var exitStatus: ExitStatus {
        let first = failures.min { $0.key < $1.key }?.value
        return first ?? (unfinishedCount > 0 ? .unfinished : .done)
    }

    /// Whether every transfer is done, or has this status.
    func isDone(besides status: ExitStatus) -> Bool {
        unfinishedCount == 0 && failures.values.allSatisfy { $0 == status }
    }

    /// Whether a transfer that is not final has run.
    var hasStarted: Bool { entries.values.contains { $0.began != nil } }

    /// Number of transfers that are not final.
    var unfinishedCount: Int { entries.count + untouched.count }

    /// The IDs of transfers that are not final, in order.
    var unfinishedIDs: [TransferID] { (entries.keys + untouched.ids).sorted() }

    /// Whether a transfer is known and not final.
    func knows(_ id: TransferID) -> Bool { entries[id] != nil || untouched[id] != nil }

    /// Transfers that are not final and have an entry, in the order of their IDs.
    var unfinished: [Entry] {
        entries.values.sorted { $0.transfer.id < $1.transfer.id }
    }

    /// The bytes received of the transfers that are not final, where the next attempt keeps them.
    var keptBytes: Int64 {
        entries.values.filter(\.transfer.keepsBytes)
            .reduce(0) { $0.addingSaturated($1.progress.received) }
    }

    /// What this command has to do in all, and what it has done. The total is known only if every total is.
    var total: TransferProgress {
        let isAllKnown = untouched.isEmpty && unread == 0
        var sum = TransferProgress(received: tally.bytes, total: isAllKnown ? tally.bytes : nil)
        for (id, entry) in entries {
            let before = earlier[id] ?? 0
            sum.received = sum.received.addingSaturated(max(0, entry.progress.received - before))
            sum.total = sum.total.flatMap { sum in
                entry.progress.total.map { sum.addingSaturated(max(0, $0 - before)) }
            }
            if let speed = entry.progress.bytesPerSecond, entry.transfer.state == .active {
                sum.bytesPerSecond = (sum.bytesPerSecond ?? 0) + speed
            }
        }
        return sum
    }

    /// The sum of the transfers, with the bytes that were there before: their rows show these, too.
    private var wholeTotal: TransferProgress {
        let before = entries.keys.reduce(earlierOfCompleted) { $0.addingSaturated(earlier[$1] ?? 0) }
        var sum = total
        sum.received = sum.received.addingSaturated(before)
        sum.total = sum.total?.addingSaturated(before)
        return sum
    }

    /// The progress region, with at most `limit` rows.
    ///
    /// - Parameters:
    ///   - now: the time of day.
    ///   - steady: the time by which speeds and stalls are measured.
    func board(
        at now: Instant,
        steady moment: Instant,
        limit: Int,
        processes: OwnerDirectory = OwnerDirectory()
    ) -> ProgressBoard {
        let lowest: TransferState.Name = isWatching ? .paused : .waiting
        let visible = unfinished.filter { Self.rank(of: $0.transfer.state.name) <= Self.rank(of: lowest) }
            .sorted {
                (Self.rank(of: $0.transfer.state.name), $0.transfer.id) < (
                    Self.rank(of: $1.transfer.state.name), $1.transfer.id
                )
            }
        var shown = visible.prefix(limit)
        if visible.isEmpty { shown = unfinished.prefix(1) }
        let rows = shown.map { entry in
            var row = ProgressRow(
                entry.transfer,
                progress: entry.progress,
                stalled: entry.stall(at: moment),
                at: now
            )
            if let process = processes.otherProcess(of: entry.transfer), case .text(let text) = row.content {
                row.content = .text("\(text) (process \(process))")
            }
            return row
        }
        var board = ProgressBoard(rows: rows, others: unfinishedCount + unread - rows.count)
        let count = unfinishedCount + unread + tally.ended
        if count > 1 {
            let total = wholeTotal
            var figures = ProgressRow.Figures(total)
            figures.timeLeft = timeLeft(of: total).map { TimeLeft($0).description }
            board.total = ProgressRow(
                name: "\(tally.completed) of \(count)" + (tally.failed > 0 ? ", \(tally.failed) failed" : ""),
                content: .figures(figures)
            )
        }
        return board
    }

    /// The time that the rest takes: at least that of the transfer that takes longest.
    private func timeLeft(of total: TransferProgress) -> Duration? {
        let longest = entries.values.lazy.filter { $0.transfer.state == .active }
            .compactMap(\.progress.timeLeft).max()
        return total.timeLeft.map { max($0, longest ?? .zero) }
    }

    /// Rows of lower rank come first.
    private static func rank(of state: TransferState.Name) -> Int {
        switch state {
        case .active: 0
        case .waiting: 1
        case .queued: 2
        case .paused: 3
        case .completed, .failed, .cancelled: 4
        }
    }

    /// Replaces the last reported progress of a running transfer with its live progress.
    mutating func refresh(_ id: TransferID, _ progress: TransferProgress, at now: Instant) {
        guard entries[id]?.transfer.state == .active else { return }
        entries[id]?.take(progress, at: now)
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

extension Transfer {
    /// How long the last attempt of an ended transfer took. A watcher may have seen only a part of it.
    fileprivate var lastAttemptTime: Duration? {
        guard let attemptStarted, let finished else { return nil }
        return attemptStarted.duration(to: finished)
    }
}
