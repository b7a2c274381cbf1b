import Ferry
import Glibc
import Synchronization

/// Runs the engine in the foreground: shows how far it is, obeys Ctrl-C, and finds the status to end with.
final class ForegroundRun: Sendable {
    /// What is run.
    enum Kind: Hashable, Sendable {
        /// Named transfers, which are paused when the command is stopped.
        case transfers([TransferID])
        /// The whole queue, which others may go on with.
        case queue
        /// The whole queue and all that is added to it, until somebody stops it; others may go on with it then.
        case service

        /// Whether it is whatever the queue holds, and nothing that was named.
        var isQueue: Bool {
            switch self {
            case .transfers: false
            case .queue, .service: true
            }
        }
    }

    private struct State {
        var ledger: RunLedger
        var owners = OwnerDirectory()
        /// What comes of the named transfers, from when they began.
        var updates: TransferUpdates?
        var hostsAway = HostsAway()
        var isInterrupted = false
    }

    /// How often the progress region is drawn.
    static let drawingInterval: Duration = .milliseconds(100)

    let engine: TransferEngine
    private let console: Console
    private let reporter: Reporter
    private let kind: Kind
    private let whenStopping: @Sendable () -> Void
    private let state: Mutex<State>

    /// - Parameter whenStopping: is called as soon as somebody asks for the end.
    init(
        _ kind: Kind,
        engine: TransferEngine,
        console: Console,
        whenStopping: @escaping @Sendable () -> Void = {}
    ) {
        self.kind = kind
        self.engine = engine
        self.console = console
        self.whenStopping = whenStopping
        reporter = Reporter(console: console, isService: kind == .service)
        let order = if case .transfers(let ids) = kind { ids } else { [TransferID]() }
        var ledger = RunLedger(order: order, tellingInterval: reporter.tellingInterval)
        ledger.isEndless = kind == .service
        state = Mutex(State(ledger: ledger))
    }

    /// How it stands, in one line.
    var status: String {
        state.withLock { $0.isInterrupted ? "Stopping." : $0.ledger.status }
    }

    /// Says how the named transfers begin. What is said here is known, so that only what follows is news.
    func begin(_ beginning: [Announcement], owners: OwnerDirectory) {
        let updates = engine.updates(after: beginning.map(\.transfer))
        state.withLock { state in
            state.owners = owners
            state.updates = updates
        }
        for announcement in beginning {
            if !console.appearance.json, let line = KeptTransfers.line(announcement.transfer, owners) {
                console.warning(line)
            } else {
                reporter.tell([announcement], owners: owners)
            }
        }
        for announcement in beginning {
            let update = TransferUpdate(transfer: announcement.transfer, progress: announcement.progress)
            let news = state.withLock { $0.ledger.take(update, at: SystemTime.steady) }
            if announcement.transfer.state.isFinal { reporter.tell(news, owners: owners) }
        }
    }

    /// Runs until nothing is left that can go on by itself, or a signal asks for the end.
    ///
    /// - Parameter watch: who has watched the signals since something was begun; `nil` when that begins here.
    func run(_ watch: SignalWatch? = nil) async throws -> ExitStatus {
        let signals = if let watch { watch } else { await watchSignals() }
        defer { signals.stop() }
        let owners = try await OwnerDirectory(engine)
        let begun = state.withLock { state in
            defer { state.updates = nil }
            state.owners = owners
            return state.updates
        }
        let updates = begun ?? engine.updates()
        try await tellOfWindows()
        if kind == .service {
            for line in try await KeptTransfers(engine, owners: owners).allLines { console.warning(line) }
        }
        await draw()
        let jobs = await JobControl()
        defer { jobs.stop() }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.engine.run(); return true
            }
            group.addTask {
                await self.consume(updates); return true
            }
            group.addTask {
                await self.drawRepeatedly(); return false
            }
            group.addTask {
                await self.obey(signals); return false
            }
            group.addTask {
                await self.obey(jobs); return false
            }
            defer { group.cancelAll() }
            var ended = 0
            while ended < 2, let isEnd = try await group.next() { ended += isEnd ? 1 : 0 }
        }
        console.clear()
        return try await conclude()
    }

    private func watchSignals() async -> SignalWatch {
        // The signal of a terminal that was closed means something else to a service.
        let watched = kind == .service ? [SIGINT, SIGTERM] : SignalWatch.signals
        return await SignalWatch(watched) { [console] in console.abandon() }
    }

    /// Says that there are transfers which wait for their time windows: a queue that is run to its end waits for them, too.
    private func tellOfWindows() async throws {
        guard kind == .queue, !console.appearance.json else { return }
        let window = WaitCondition.window(opens: .epoch).name
        guard let first = try await engine.transfers(.waiting(window), limit: 1).first else { return }
        console.notice("\(first.displayName): \(first.stateText(at: SystemTime.now))")
    }

    /// Whether there may be more than those of which something is told.
    private var hasOthers: Bool { if case .transfers(let ids) = kind { ids.count > 1 } else { true } }

    // MARK: Meanwhile

    private func consume(_ updates: TransferUpdates) async {
        var holders = NameHolders()
        for await update in updates {
            await refreshOwners(for: update.transfer)
            let (news, owners, isStopping) = state.withLock { state in
                (state.ledger.take(update, at: SystemTime.steady), state.owners, state.isInterrupted)
            }
            for announcement in news {
                if let rest = state.withLock({ $0.hostsAway.note(announcement, others: hasOthers) }) {
                    console.notice(rest)
                }
                let named = await naming(announcement, by: &holders)
                reporter.tell([named], owners: owners, isStopping: isStopping)
            }
            // Whoever reads slowly gets what is new then; the engine does not wait.
            await console.room()
        }
    }

    /// An owner that is not known yet has joined since the directory was read.
    private func refreshOwners(for transfer: Transfer) async {
        guard let claim = transfer.claim, !state.withLock({ $0.owners.knows(claim.owner) }) else { return }
        do {
            let owners = try await OwnerDirectory(engine)
            state.withLock { $0.owners = owners }
        } catch {
            // Only the number of a process is missing from a line; the store's failure ends the run elsewhere.
            return
        }
    }

    private func drawRepeatedly() async {
        guard console.appearance.live else { return }
        while !Task.isCancelled {
            do {
                try await Task.sleep(for: Self.drawingInterval)
            } catch {
                return
            }
            await draw()
        }
    }

    private func draw() async {
        guard console.appearance.live else { return }
        let size = console.errorSize
        let (running, owners) = state.withLock { state in
            (state.ledger.unfinished.filter { $0.transfer.state == .active }.prefix(size.rows), state.owners)
        }
        for entry in running where owners.otherProcess(of: entry.transfer) == nil {
            do {
                let progress = try await engine.progress(of: entry.transfer.id)
                if progress.bytesPerSecond != nil {
                    state.withLock { $0.ledger.refresh(entry.transfer.id, progress) }
                }
            } catch {
                // The picture keeps what was last reported; the store's failure ends the run elsewhere.
                continue
            }
        }
        let board = state.withLock {
            $0.ledger.board(at: SystemTime.now, limit: size.rows, processes: $0.owners)
        }
        console.draw(board.lines(columns: size.columns, rows: size.rows))
    }

    private func obey(_ signals: SignalWatch) async {
        for await _ in signals.first {
            state.withLock { $0.isInterrupted = true }
            // First of all, whatever becomes of the rest.
            engine.stop()
            console.hurry()
            console.notice(kind == .service ? "Stopping." : "Stopping; once more ends at once.")
            whenStopping()
        }
    }

    /// Everything is recorded before the process stands still, for as long as that may be, and nothing is awaited from
    /// connections that were left alone meanwhile.
    private func obey(_ jobs: JobControl) async {
        for await event in jobs.events {
            switch event {
            case .stop:
                await engine.applicationDidEnterBackground(.stop)
                console.clear()
                // Not while it has the lock for which all other processes would wait.
                await engine.betweenWrites { jobs.stopProcess() }
                engine.applicationWillEnterForeground()
            case .goneOn: engine.restartConnections()
            }
        }
    }

    // MARK: The end

    private func conclude() async throws -> ExitStatus {
        let (ledger, isInterrupted) = state.withLock { ($0.ledger, $0.isInterrupted) }
        if kind == .service {
            // To be stopped is how a service ends well; what it ran is queued, and nobody has to do anything.
            console.notice("Stopped. `ferry run` resumes what was running.")
            reporter.summarise(ledger, status: .done)
            return .done
        }
        var status = isInterrupted && ledger.unfinishedCount > 0 ? .unfinished : ledger.exitStatus
        if isInterrupted { try await tellWhatIsKept(ledger) }
        let kept = kind == .queue && !isInterrupted ? try await keptTransfers() : KeptTransfers()
        if !isInterrupted, !console.appearance.json { try await sumUp(ledger.tally, kept) }
        for line in kept.allLines { console.warning(line) }
        if !kept.isEmpty, status == .done { status = .unfinished }
        if case .queue = kind, !isInterrupted, let waiting = try await engine.counts()["waiting"], waiting > 0
        {
            console.notice(
                "\(waiting) more can only wait; `ferry list` shows them, `ferry show ID` says for what."
            )
            if status == .done { status = .unfinished }
        }
        reporter.summarise(ledger, status: status)
        return status
    }

    /// Says how many ended in each way, where that is not plain, and what could not be run.
    private func sumUp(_ tally: RunLedger.Tally, _ kept: KeptTransfers) async throws {
        guard kind == .queue else {
            if case .transfers(let ids) = kind, ids.count > 1 { console.notice(tally.summary) }
            return
        }
        let left = QueueRest(try await engine.queues(), paused: try await engine.counts()["paused"] ?? 0)
        if tally.ended > 0 {
            console.notice(tally.summary)
        } else {
            let isNothingLeft = left.isEmpty && kept.isEmpty
            console.notice(isNothingLeft ? "Nothing was left to do." : "Nothing could be run.")
        }
        for line in left.lines { console.notice(line) }
    }

    /// What was left because nothing shows whether the process that holds it still runs.
    private func keptTransfers() async throws -> KeptTransfers {
        try await KeptTransfers(engine, owners: OwnerDirectory(engine))
    }

    /// The most transfers that are named one by one after an interruption.
    private static let mostNamed = 5

    private func tellWhatIsKept(_ ledger: RunLedger) async throws {
        guard ledger.unfinishedCount <= Self.mostNamed else {
            let kept = ledger.unfinished.filter {
                $0.transfer.keepsBytes
            }
            .reduce(Int64(0)) { $0.addingSaturated($1.progress.received) }
            let command = kind.isQueue ? "ferry run" : "ferry resume"
            console.notice(
                "Stopped. \(ledger.unfinishedCount) transfers are unfinished, \(ByteCount(kept).formatted) kept. "
                    + "`\(command)` or the same command resumes."
            )
            return
        }
        // Somebody may have gone on with it who came later.
        let owners = try await OwnerDirectory(engine)
        for id in ledger.unfinishedIDs {
            let transfer = try await engine.snapshot(of: id)
            console.notice(Self.keptText(transfer, kind, process: owners.otherProcess(of: transfer)))
        }
    }

    /// What is said of a transfer that was stopped.
    static func keptText(_ transfer: Transfer, _ kind: Kind, process: Int32?) -> String {
        let name = transfer.displayName
        if let process { return "\(name) continues in process \(process); `ferry watch` shows it." }
        if transfer.isStream {
            return "Stopped. \(name): a stream cannot be resumed; the same command starts over."
        }
        let command = kind.isQueue ? "`ferry run`" : "`ferry resume \(transfer.id)` or the same command"
        let isQueuedAlso = !kind.isQueue && transfer.state == .queued
        guard !transfer.startsOver else {
            return isQueuedAlso
                ? "Stopped. \(name) was also added to the queue, so it stays queued; `ferry run` or the same command "
                    + "\(transfer.continuation)."
                : "Stopped. \(name): \(command) \(transfer.continuation)."
        }
        if isQueuedAlso {
            return
                "Stopped. \(name): \(transfer.amountText) kept. It was also added to the queue, so it stays queued; "
                + "`ferry run` or the same command resumes it."
        }
        return "Stopped. \(name): \(transfer.amountText) kept. \(command) resumes."
    }
}
