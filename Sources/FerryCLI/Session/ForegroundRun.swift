import Ferry
import FerryFrontend
import Glibc
import Synchronization

/// Runs the engine in the foreground: shows progress, obeys Ctrl-C, and determines the exit status.
final class ForegroundRun: Sendable {
    /// What to run.
    enum Kind: Hashable, Sendable {
        /// Transfers named on the command line, which are paused when a person stops the command.
        case transfers(count: Int)
        /// The whole queue. After a stop, other processes may resume it.
        case queue
        /// The whole queue and later additions, until a stop. After it, other processes may resume them.
        case service

        /// Whether it runs the queue rather than named transfers.
        var isQueue: Bool {
            switch self {
            case .transfers: false
            case .queue, .service: true
            }
        }
    }

    /// What stopped a run.
    enum Stop: Hashable, Sendable {
        /// A person, with Ctrl-C.
        case person
        /// The system, with another signal: `ferry run` then resumes the transfers.
        case system
        /// The end of the time of `--max-time`: `ferry run` then resumes the transfers.
        case time
    }

    private struct State {
        var ledger: RunLedger
        var owners = OwnerDirectory()
        /// The updates of the named transfers, since they began.
        var updates: TransferUpdates?
        var hostsAway = HostsAway()
        var waitAdvice = WaitAdvice()
        /// What stopped the run first; `nil` while nothing has.
        var stop: Stop?
        /// Whether a signal came before all transfers of the command line were added.
        var leavesRest = false
        /// The lines about stopped queues that were printed.
        var stopLines: Set<String> = []
        /// The transfers whose first line comes when they start.
        var notBegun = TransferIDSet()
        /// Whether the same command line resumes all announced transfers, rather than adding others.
        var isResumedByRepeating = true
    }

    /// Interval at which the progress region is drawn.
    static let drawingInterval: Duration = .milliseconds(100)

    let engine: TransferEngine
    private let console: Console
    private let reporter: Reporter
    let endWork: EndWork
    /// The time after which the run stops; `nil` for none.
    private let maxTime: Duration?
    private let kind: Kind
    /// The command whose line is repeated to ask for the transfers again.
    private let command: RepeatedCommand
    /// Whether the running command is that one; `ferry resume` and `ferry run` are not.
    private let isThatCommand: Bool
    /// The options with which `ferry resume` runs the transfers as this command did.
    private let resuming: RepeatedOptions
    private let whenStopping: @Sendable () -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - command: the command whose line is repeated to ask for the transfers again. `ferry mirror` does more than this run,
    ///     and sums up by itself.
    ///   - isThatCommand: whether the running command is that one; `ferry resume` is not.
    ///   - resuming: the options with which `ferry resume` runs the transfers as this command did.
    ///   - actions: what is done when a transfer has ended.
    ///   - unchanged: counts the files that need no lines because they are up to date; `nil` if each has its lines.
    ///   - whenStopping: called as soon as a signal asks for the end.
    init(
        _ kind: Kind,
        engine: TransferEngine,
        console: Console,
        command: RepeatedCommand = .getting,
        isThatCommand: Bool = true,
        resuming: RepeatedOptions = RepeatedOptions(),
        actions: EndActions = EndActions(),
        unchanged: UnchangedFiles? = nil,
        whenStopping: @escaping @Sendable () -> Void = {}
    ) {
        // The queue has what other commands have added.
        let command: RepeatedCommand = kind.isQueue ? .adding : command
        (self.kind, self.command, self.resuming) = (kind, command, resuming)
        self.isThatCommand = isThatCommand && !kind.isQueue
        (self.engine, self.console, self.whenStopping) = (engine, console, whenStopping)
        endWork = EndWork(actions, console)
        maxTime = actions.maxTime
        reporter = Reporter(
            console: console,
            isService: kind == .service,
            command: command,
            unchanged: unchanged
        )
        var ledger = RunLedger(order: [], tellingInterval: reporter.tellingInterval)
        ledger.isEndless = kind == .service
        // A mirror leaves the user's files as they are, whether or not its manifest has their digests.
        ledger.passesFilesInTheWay = command == .mirroring
        state = Mutex(State(ledger: ledger))
    }

    /// The state of the run, in one line.
    var status: String { state.withLock { $0.stop != nil ? "Stopping." : $0.ledger.status } }

    /// Whether a signal or the end of its time has stopped it.
    var isInterrupted: Bool { state.withLock { $0.stop != nil } }

    /// How the transfers ended, how many did not end, and the bytes of all of them.
    var result: (tally: RunLedger.Tally, unfinished: Int, received: Int64) {
        state.withLock { ($0.ledger.tally, $0.ledger.unfinishedCount, $0.ledger.total.received) }
    }

    /// Whether every transfer is done, or has this status.
    func isDone(besides status: ExitStatus) -> Bool { state.withLock { $0.ledger.isDone(besides: status) } }

    /// The downloads that were refused before their first byte because something has their names.
    var refused: Set<TransferID> { state.withLock { $0.ledger.refused } }

    /// Whether it has met this transfer.
    func knows(_ id: TransferID) -> Bool { state.withLock { $0.ledger.knows(id) } }

    /// The owners as they were last read.
    var owners: OwnerDirectory { state.withLock { $0.owners } }

    /// Reports the stopped queues that were not reported yet.
    func tell(_ stops: QueueStops) {
        for line in stops.lines where state.withLock({ $0.stopLines.insert(line).inserted }) {
            console.notice(line)
        }
    }

    /// Notes that a signal came before all transfers of the command line were added.
    func leaveRest() { state.withLock { $0.leavesRest = true } }

    /// Reports that the next download of the command line was refused, so that it has no transfer.
    func refuse(_ failure: CommandFailure) {
        console.failure(failure)
        state.withLock { $0.ledger.refuse(failure.status) }
    }

    /// Announces the next transfers of the command line. The ledger notes them, so that only later changes are news.
    ///
    /// A command with very many transfers calls it for each page, before the run.
    func begin(_ beginning: [Announcement], owners: OwnerDirectory) {
        let transfers = beginning.map(\.transfer)
        let former = state.withLock { $0.updates }
        let updates = former ?? engine.updates(after: transfers)
        if former != nil { engine.join(updates, after: transfers) }
        state.withLock { state in
            state.ledger.expect(transfers.map(\.id))
            state.owners = owners
            state.updates = updates
            if !beginning.allSatisfy(\.transfer.wording.isResumedByRepeating) {
                state.isResumedByRepeating = false
            }
        }
        for announcement in beginning {
            if !console.appearance.json, let line = KeptTransfers.line(announcement.transfer, owners) {
                console.warning(line)
            } else if hasOthers, !console.appearance.json, announcement.beginsLater {
                state.withLock { $0.notBegun.insert(announcement.transfer.id) }
            } else {
                reporter.tell([announcement], owners: owners)
            }
        }
        for announcement in beginning {
            let update = TransferUpdate(transfer: announcement.transfer, progress: announcement.progress)
            let news = state.withLock { $0.ledger.begin(update, at: SystemTime.steady) }
            guard announcement.transfer.state.isFinal else { continue }
            if console.appearance.json || !announcement.saysItIsComplete {
                reporter.tell(news, owners: owners)
            }
            for announcement in news { endWork.note(announcement, isEarlier: true) }
        }
    }

    /// Runs until no transfer is left that can proceed without a person, or a signal asks for the end.
    ///
    /// - Parameter watch: the watch of signals since work began, which stops with this run unless that is a part of a
    ///   command; `nil` starts one here.
    func run(_ watch: SignalWatch? = nil) async throws -> ExitStatus {
        let signals = if let watch { watch } else { await watchSignals() }
        defer { if command != .mirroring { signals.stop() } }
        let (begun, tally) = state.withLock { ($0.updates.take(), $0.ledger.tally) }
        // All that the command line asks for was refused.
        if begun == nil, tally.failed > 0 { return try await conclude() }
        // Announced transfers came with the owners that their lines name. Another one is looked up when it is met.
        if begun == nil { try await readOwners() }
        let updates = begun ?? engine.updates()
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
                await self.endWork.run(); return true
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
            group.addTask {
                await self.stopWhenTimeIsOver(); return false
            }
            group.addTask {
                try await self.tellOfWindows(); return false
            }
            defer { group.cancelAll() }
            var ended = 0
            // The transfers, their updates, and then the commands for those that have ended.
            while ended < 3, let isEnd = try await group.next() {
                ended += isEnd ? 1 : 0
                if ended == 2 { endWork.close() }
            }
        }
        console.clear()
        return try await conclude()
    }

    /// Reads the owners. A service tells what is kept for those that nothing shows to be alive or dead.
    private func readOwners() async throws {
        let owners = try await OwnerDirectory(engine)
        state.withLock { $0.owners = owners }
        guard kind == .service else { return }
        for line in try await KeptTransfers(engine, owners: owners).allLines { console.warning(line) }
    }

    private func watchSignals() async -> SignalWatch {
        // A service does not watch SIGHUP here: for it the signal means "reload", not a closed terminal.
        let watched = kind == .service ? [SIGINT, SIGTERM] : SignalWatch.signals
        return await SignalWatch(watched) { [console] in console.abandon() }
    }

    /// Reports once that a run of the queue waits for time windows, unless the transfers have lines already.
    private func tellOfWindows() async throws {
        guard kind == .queue, !console.appearance.json else { return }
        let awaited = try await AwaitedWindows.first(in: engine) { [self] in knows($0) }
        guard let awaited, !isInterrupted else { return }
        console.notice(awaited.text(at: SystemTime.now))
    }

    /// Whether there may be other transfers than those announced.
    private var hasOthers: Bool { if case .transfers(let count) = kind { count > 1 } else { true } }

    // MARK: Meanwhile

    private func consume(_ updates: TransferUpdates) async {
        var holders = NameHolders()
        for await update in updates {
            await refreshOwners(for: update.transfer)
            let (news, owners, isStopping) = state.withLock { state in
                (state.ledger.take(update, at: SystemTime.steady), state.owners, state.stop != nil)
            }
            for announcement in news {
                if let rest = state.withLock({ $0.hostsAway.note(announcement, others: hasOthers) }) {
                    console.notice(rest)
                }
                tellStart(announcement, owners)
                let named = await naming(announcement, by: &holders)
                reporter.tell([named], owners: owners, isStopping: isStopping)
                if !isStopping { advise(named) }
                endWork.note(named)
            }
            // Waits for a slow reader, who then gets the latest changes; the engine does not wait.
            await console.room()
        }
    }

    /// Tells that a transfer starts which had to wait for its turn. One that ends at once may have only the line about its end.
    private func tellStart(_ announcement: Announcement, _ owners: OwnerDirectory) {
        guard case .state = announcement.news, announcement.transfer.state == .active else { return }
        let id = announcement.transfer.id
        let isFirst = state.withLock { state in
            defer { state.notBegun.remove(id) }
            return state.notBegun.contains(id)
        }
        guard isFirst else { return }
        reporter.tell([Announcement(announcement.transfer, announcement.progress, .added)], owners: owners)
    }

    /// Tells a person how to end a long wait. A service has no one to tell, and Ctrl-C does not stop a transfer of another
    /// process.
    private func advise(_ announcement: Announcement) {
        guard kind != .service, owners.otherProcess(of: announcement.transfer) == nil else { return }
        let command = isThatCommand ? command : nil
        if let advice = state.withLock({ $0.waitAdvice.note(announcement, command: command) }) {
            console.notice(advice)
        }
    }

    /// Reads the owners again if this transfer's owner has joined since the last read.
    private func refreshOwners(for transfer: Transfer) async {
        guard let claim = transfer.claim, !state.withLock({ $0.owners.knows(claim.owner) }) else { return }
        do {
            let owners = try await OwnerDirectory(engine)
            state.withLock { $0.owners = owners }
        } catch {
            // Only a process ID is missing from a line; a failure of the store ends the run elsewhere.
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
                    state.withLock { $0.ledger.refresh(entry.transfer.id, progress, at: SystemTime.steady) }
                }
            } catch {
                // The picture keeps the last reported progress; a failure of the store ends the run elsewhere.
                continue
            }
        }
        console.draw { [weak self] in
            guard let self else { return [] }
            let board = state.withLock {
                $0.ledger.board(
                    at: SystemTime.now,
                    steady: SystemTime.steady,
                    limit: size.rows,
                    processes: $0.owners
                )
            }
            return board.lines(columns: size.columns, rows: size.rows)
        }
    }

    private func obey(_ signals: SignalWatch) async {
        for await number in signals.firstSignal() {
            stop(Self.stoppingText(by: number, kind), by: number)
        }
    }

    /// - Parameter signal: the signal that stops the run; `nil` at the end of its time.
    private func stop(_ notice: String, by signal: Int32? = nil) {
        let cause: Stop = signal == nil ? .time : signal == SIGINT ? .person : .system
        let isFirst = state.withLock { state in
            guard state.stop == nil else { return false }
            state.stop = cause
            return true
        }
        guard isFirst else { return }
        // The stop comes first, whatever happens next.
        if cause == .person { engine.stop() } else { engine.stop(.release) }
        endWork.stop()
        console.hurry()
        console.notice(notice)
        tellOfAwaited(signal)
        whenStopping()
    }

    /// Stops the run after the time of `--max-time`, if there is one.
    private func stopWhenTimeIsOver() async {
        guard let maxTime else { return }
        do {
            try await Task.sleep(for: maxTime)
            stop("The time of --max-time is over; stopping.")
        } catch {
            // The run has ended before.
            return
        }
    }

    /// Names the requests whose answers a stop waits for: they must not be sent again.
    private func tellOfAwaited(_ signal: Int32?) {
        let awaited = state.withLock { $0.ledger.unfinished.map(\.transfer) }.filter(\.wording.mustBeAnswered)
        for transfer in awaited.prefix(Self.mostNamed) {
            console.notice(Self.awaitedText(transfer, kind, stoppedBy: signal))
        }
    }

    /// Records everything before the process stops, possibly for a long time. Afterwards replaces idle connections, so
    /// that the command waits for none of them.
    private func obey(_ jobs: JobControl) async {
        for await event in jobs.events {
            switch event {
            case .stop:
                await engine.applicationDidEnterBackground(.stop)
                console.clear()
                // Not while it holds the lock, for which all other processes would wait.
                await engine.betweenWrites { jobs.stopProcess() }
                engine.applicationWillEnterForeground()
            // A run that is stopping needs no new connections. Their change would be recorded as a failure.
            case .goneOn: if !isInterrupted { engine.restartConnections() }
            }
        }
    }

    // MARK: The end

    /// Maximum transfers named one by one after an interruption.
    static let mostNamed = 5

    /// Reports the end of the run, when nothing of it runs any more.
    private func conclude() async throws -> ExitStatus {
        let end = state.withLock { state in
            RunEnd(
                kind: kind,
                engine: engine,
                reporter: reporter,
                endWork: endWork,
                resuming: resuming,
                ledger: state.ledger,
                stop: state.stop,
                leavesRest: state.leavesRest,
                isResumedByRepeating: state.isResumedByRepeating
            )
        }
        return try await end.conclude()
    }
}
