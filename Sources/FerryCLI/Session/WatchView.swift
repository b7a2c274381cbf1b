import Ferry
import FerryFrontend
import Synchronization

/// A live view of transfers that other processes run, read from the store.
final class WatchView: Sendable {
    private struct State {
        var ledger: RunLedger
        var owners = OwnerDirectory()
        /// Whether a route leads beyond this machine; `nil` if that is unknown.
        var isOnline: Bool?
        /// Whether a process was seen that runs transfers.
        var hadRunner = false
    }

    /// The line for a missing network.
    static let awayText = "The network is down. Transfers resume by themselves when it is up again."

    private let ids: [TransferID]
    private let engine: TransferEngine
    private let console: Console
    /// Whether standard output is no terminal, and gets lines.
    private let printsLines: Bool
    private let reporter: Reporter
    private let state: Mutex<State>

    init(_ ids: [TransferID], engine: TransferEngine, console: Console) {
        self.ids = ids
        self.engine = engine
        self.console = console
        printsLines = !console.outputIsTerminal
        reporter = Reporter(console: console, isOutput: printsLines)
        var ledger = RunLedger(order: ids, tellingInterval: reporter.tellingInterval)
        ledger.isWatching = true
        state = Mutex(State(ledger: ledger))
    }

    /// Watches until the user ends it, the reader of its output is gone, or all named transfers have ended. Without names and
    /// without a terminal, it also ends when no process runs transfers.
    ///
    /// - Returns: the status of the named transfers; `done` when there are none, or the user ended it earlier.
    func run() async throws -> ExitStatus {
        let signals = await SignalWatch { [console] in console.abandon() }
        defer { signals.stop() }
        let keys = KeyWatch()
        defer { keys.stop() }
        let isOver = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.follow()
                return true
            }
            group.addTask {
                await self.drawRepeatedly()
                return false
            }
            group.addTask {
                await self.watchNetwork()
                return false
            }
            group.addTask {
                for await _ in signals.firstSignal() {
                    self.console.hurry()
                    break
                }
                return false
            }
            group.addTask {
                await self.waitWhileRead()
                return false
            }
            group.addTask {
                for await key in keys.keys where key == "q" || key == "Q" { return false }
                // Without a keyboard no key will come.
                await WatchView.untilCancelled()
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        console.clear()
        return isOver && !ids.isEmpty ? state.withLock { $0.ledger.exitStatus } : .done
    }

    /// Returns when the reader of the output is gone.
    private func waitWhileRead() async {
        while !Task.isCancelled, !console.readerIsGone {
            do {
                try await Task.sleep(for: ForegroundRun.drawingInterval)
            } catch {
                return
            }
        }
    }

    /// Reports when the network goes away and comes back.
    private func watchNetwork() async {
        let changes = engine.networkChanges()
        await lookAtNetwork()
        for await _ in changes { await lookAtNetwork() }
        // If changes cannot be observed, none are reported.
        await Self.untilCancelled()
    }

    private func lookAtNetwork() async {
        let isOnline = await engine.isNetworkAvailable()
        let before = state.withLock { state in
            defer { state.isOnline = isOnline }
            return state.isOnline
        }
        guard before != isOnline, printsLines || !console.appearance.live else { return }
        switch isOnline {
        case false?: say(Self.awayText)
        case true? where before == false: say("The network is up again.")
        default: break
        }
    }

    private func say(_ text: String) {
        guard printsLines else { return console.notice(text) }
        if console.appearance.saysNotices { console.data(text) }
    }

    private static func untilCancelled() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
    }

    /// Interval of reading without changes: a dying process changes nothing in the store.
    private static let lookingInterval: Duration = .seconds(2)

    private func follow() async throws {
        let changes = engine.changes()
        let (moments, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in changes { continuation.yield() } }
            group.addTask {
                while true {
                    try await Task.sleep(for: Self.lookingInterval)
                    continuation.yield()
                }
            }
            defer { group.cancelAll() }
            if try await look() { return }
            for await _ in moments where try await look() { return }
        }
    }

    /// Reads the watched transfers; returns whether the watch is over.
    private func look() async throws -> Bool {
        await console.room()
        let owners = try await OwnerDirectory(engine)
        state.withLock { $0.owners = owners }
        var isOver = true
        guard !ids.isEmpty else {
            try await lookAtAll(owners)
            return isOverWithoutNames(owners)
        }
        for id in ids {
            let transfer = owners.shown(try await engine.snapshot(of: id), at: SystemTime.now)
            take(transfer, owners)
            isOver = isOver && transfer.state.isFinal
        }
        return isOver
    }

    /// Whether no process runs transfers, so that no line would come. A person at a terminal, and a program that reads JSON, may wait
    /// for one to start.
    private func isOverWithoutNames(_ owners: OwnerDirectory) -> Bool {
        guard printsLines, !console.appearance.json else { return false }
        guard !owners.hasOthers else {
            state.withLock { $0.hadRunner = true }
            return false
        }
        if state.withLock({ $0.hadRunner }) { console.notice("No process runs transfers any more.") }
        return true
    }

    /// Page size for transfers that do not run. It is large enough to see a transfer that ends before the next look.
    private static let pageLength = 200

    /// Reads all running transfers, and one page each of the waiting, queued and paused ones; counts the rest. A
    /// queue may hold a million.
    private func lookAtAll(_ owners: OwnerDirectory) async throws {
        var seen: Set<TransferID> = []
        try await engine.forEachShown([.active], owners: owners) { transfer in
            seen.insert(transfer.id)
            take(transfer, owners)
            return true
        }
        for name in [TransferState.Name.waiting, .queued, .paused] {
            let page = try await engine.transfers(.state(name), limit: Self.pageLength)
            for transfer in page.map({ owners.shown($0, at: SystemTime.now) })
            where seen.insert(transfer.id).inserted { take(transfer, owners) }
        }
        // Transfers that are missing now have ended, were removed, or moved to a later page.
        for id in state.withLock({ $0.ledger.unfinishedIDs }) where !seen.contains(id) {
            do {
                take(owners.shown(try await engine.snapshot(of: id), at: SystemTime.now), owners)
            } catch {
                // `ferry list` and `ferry doctor` report damaged rows; the other transfers are watched.
                guard error.damage != nil || error == .noSuchTransfer(id) else { throw error }
            }
            state.withLock { $0.ledger.forget(id) }
        }
        let counts = try await engine.counts()
        let unfinished = counts.reduce(0) { $1.key.isFinal ? $0 : $0 + $1.value }
        state.withLock { $0.ledger.unread = max(0, unfinished - $0.ledger.unfinishedCount) }
    }

    private func take(_ transfer: Transfer, _ owners: OwnerDirectory) {
        let update = TransferUpdate(transfer: transfer, progress: transfer.recordedProgress)
        var (news, isNew) = state.withLock { state in
            let isNew = !state.ledger.knows(transfer.id)
            return (state.ledger.take(update, at: SystemTime.steady), isNew)
        }
        // Without a live picture, a transfer that already runs gets a line at once.
        if isNew, transfer.state == .active, !console.appearance.json {
            news.append(Announcement(transfer, update.progress, .progress))
        }
        reporter.tell(news, owners: owners)
    }

    private func drawRepeatedly() async {
        while !Task.isCancelled {
            if !printsLines {
                let size = console.errorSize
                console.draw { [weak self] in self?.lines(size) ?? [] }
            }
            do {
                try await Task.sleep(for: ForegroundRun.drawingInterval)
            } catch {
                return
            }
        }
    }

    /// The lines of the region on a terminal of this size.
    private func lines(_ size: Terminal.Size) -> [String] {
        let (board, isOnline) = state.withLock { state in
            let board = state.ledger.board(
                at: SystemTime.now,
                steady: SystemTime.steady,
                limit: size.rows,
                processes: state.owners
            )
            return (board, state.isOnline)
        }
        // One row is left for the network.
        let lines = board.lines(columns: size.columns, rows: max(1, size.rows - 1))
        let away = isOnline == false ? [Self.awayText] : []
        return away + (lines.isEmpty ? ["No unfinished transfers. Press q to quit."] : lines)
    }
}
