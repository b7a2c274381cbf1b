import Ferry
import FerryFrontend

extension Session {
    /// Prints the IDs of added transfers, or the transfers as JSON. The lines of many are written together.
    func tell(_ additions: [Addition], of asked: [NewTransfer]) {
        var lines: [UInt8] = []
        func write() {
            guard !lines.isEmpty else { return }
            console.data(lines)
            lines = []
        }
        for (new, addition) in zip(asked, additions) {
            lines += Array("\(line(of: addition))\n".utf8)
            let note = console.appearance.saysNotices ? Self.note(about: addition, of: new) : nil
            // A message comes after the ID that it is about.
            if note != nil || lines.count >= OutputLane.longestPiece { write() }
            if let note { console.notice(note) }
        }
        write()
    }

    /// The ID of an added transfer, or the transfer as JSON.
    private func line(of addition: Addition) -> String {
        let transfer = addition.transfer
        guard console.appearance.json else { return "\(transfer.id)" }
        let news: Announcement.News = if case .added = addition { .added } else { .attached(process: nil) }
        let announcement = Announcement(transfer, transfer.recordedProgress, news)
        return announcement.json(owners: OwnerDirectory()).text
    }

    /// What a person should know about a transfer that already existed; `nil` for any other.
    private static func note(about addition: Addition, of new: NewTransfer) -> String? {
        if case .added = addition { return nil }
        let transfer = addition.transfer
        let isPlain = transfer.queue == NewTransfer.defaultQueue || transfer.state.isFinal
        let queue = isPlain ? "" : " in queue \(TerminalText.safe(transfer.queue))"
        if case .revived = addition {
            return "Transfer \(transfer.id) had failed; it is queued again\(queue)."
                + noteOfBody(of: transfer)
        }
        let limits = [
            new.namedRateLimit.map { _ in "the rate limit" }, new.namedWindow.map { _ in "the time window" },
        ].compactMap { $0 }
        let exception = limits.isEmpty ? "" : ", except \(limits.joined(separator: " and "))"
        let rest = transfer.state == .active ? " and keeps its earlier options\(exception)" : ""
        return "Transfer \(transfer.id) already exists; it is \(transfer.state.name)\(queue)\(rest)."
            + noteOfBody(of: transfer)
    }

    /// The file that an upload sends which was already recorded: it may have been another one until now.
    private static func noteOfBody(of transfer: Transfer) -> String {
        guard transfer.state != .active, !transfer.state.isFinal, let path = transfer.work.uploadedFile else {
            return ""
        }
        return " It now sends \(TerminalText.safe(path))."
    }

    /// Whether a process may be running transfers.
    func isRunning(_ access: some TransferAccess) async throws -> Bool {
        try await access.owners().contains { access.life(of: $0) != .dead }
    }

    /// Reports what keeps queued transfers from starting: no process runs the queue, or the queue is stopped.
    func tellOfWait(in queues: Set<String>, _ client: TransferClient) async throws {
        try await tellOfMissingRun(client)
        try await tellOfStops(queues, client)
    }

    /// Tells a person that no process runs the queues.
    func tellOfMissingRun(_ client: TransferClient) async throws {
        guard console.outputIsTerminal || Terminal.errors.isTerminal, try await !isRunning(client) else {
            return
        }
        console.notice("No process runs the queue. Start one with `ferry run`.")
    }

    /// Announces the transfers that this command has added, and returns the run that follows them.
    ///
    /// - Parameters:
    ///   - refused: why the command has no transfer for others that were asked for. They count as failed.
    ///   - command: the command whose line is repeated to ask for the transfers again. `ferry mirror` does more than this run,
    ///     and sums up by itself.
    ///   - actions: what is done when a transfer has ended.
    ///   - unchanged: counts the files that need no lines because they are up to date; `nil` if each has its lines.
    func follow(
        _ additions: [Addition],
        in engine: TransferEngine,
        command: RepeatedCommand = .getting,
        actions: EndActions = EndActions(),
        unchanged: UnchangedFiles? = nil,
        besides refused: [CommandFailure] = []
    ) async throws -> ForegroundRun {
        let run = ForegroundRun(
            .transfers(count: additions.count + refused.count),
            engine: engine,
            console: console,
            command: command,
            actions: actions,
            unchanged: unchanged
        )
        try await announce(additions, by: run)
        for failure in refused { run.refuse(failure) }
        return run
    }

    /// Announces transfers that this command has added, and has a run follow them.
    ///
    /// - Parameters:
    ///   - asked: the downloads that were asked for, in the order of the additions; none for other transfers.
    ///   - rate: the rate limit that the command line names for what it runs.
    func announce(
        _ additions: [Addition],
        for asked: [PlannedDownload] = [],
        by run: ForegroundRun,
        limitedTo rate: CommandRate? = nil
    ) async throws {
        let stops = try await QueueStops(of: additions.map(\.transfer).queues, in: run.engine)
        run.tell(stops)
        let namesOwners = Self.namesOwners(of: additions, isJSON: console.appearance.json)
        let owners = namesOwners ? try await OwnerDirectory(run.engine) : run.owners
        let beginning = additions.enumerated().map { index, addition in
            let transfer = addition.transfer
            let news: Announcement.News =
                switch addition {
                case .added: .added
                case .revived, .attached: .attached(process: owners.otherProcess(of: transfer))
                }
            var announcement = Announcement(transfer, transfer.recordedProgress, news)
            announcement.note(stops)
            if asked.indices.contains(index) {
                announcement.note(asked: asked[index].specification.options)
            }
            return announcement
        }
        run.begin(beginning, owners: owners)
        tellUnheeded(rate, beginning)
    }

    /// Whether the announcements of these transfers name owners: in JSON, and of a transfer that existed already. Of a new one, a
    /// line for a person does not name this process.
    static func namesOwners(of additions: [Addition], isJSON: Bool) -> Bool {
        isJSON || additions.contains { if case .added = $0 { false } else { true } }
    }

    /// Watches signals while standard input is read as the body of a request. Until a request is recorded, a signal ends the
    /// process, and what was read is lost.
    func watchInput() async -> SignalWatch {
        await SignalWatch(isIdle: true) { [console] in
            console.abandon(
                with: CommandFailure(
                    .unfinished,
                    code: "incomplete",
                    "Stopped before standard input ended. Nothing was recorded; repeat the command with its input."
                )
            )
        } last: { [console] in
            console.abandon()
        }
    }

    /// Adds requests for the process that runs the queue.
    ///
    /// - Parameter signals: the watch while the input is read, which stops then; `nil` for none.
    func add(_ plans: [RequestPlan], _ signals: SignalWatch?) async throws -> ExitStatus {
        try await withClient { client in
            try await tellOfWait(in: try await add(plans, to: client, signals), client)
            return .done
        }
    }

    /// Adds requests, and prints their IDs.
    ///
    /// - Returns: the queues that they are in.
    func add(
        _ plans: [RequestPlan],
        to client: TransferClient,
        _ signals: SignalWatch? = nil
    ) async throws -> Set<String> {
        let wanted = try await Self.locating(plans) { try await transfers(plans, client) }
        signals?.stop()
        let additions = try await Self.locating(plans) { try await client.add(wanted) }
        tell(additions, of: wanted)
        return additions.map(\.transfer).queues
    }

    /// Sends requests here.
    ///
    /// - Parameters:
    ///   - refused: why the command has no transfer for others that were asked for.
    ///   - cookies: the cookies that they share; `nil` if each has its own.
    ///   - watch: the watch since the input is read; `nil` if it was not standard input.
    ///   - actions: what is done when a transfer has ended.
    ///   - finish: called at the end with the transfers and the status; returns the status of the command.
    func send(
        _ plans: [RequestPlan],
        besides refused: [CommandFailure] = [],
        sharing cookies: SessionCookies? = nil,
        _ watch: SignalWatch?,
        _ actions: EndActions,
        finish: @escaping @Sendable (TransferEngine, [TransferID], ExitStatus) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        let terms = try EngineTerms(settings)
        return try await withEngine {
            terms.applyFollowing(to: &$0)
            $0.cookies = cookies
        } _: { engine in
            let wanted = try await Self.locating(plans) { try await transfers(plans, engine) }
            // From here on the requests are reserved for this command until it releases them.
            let signals = if let watch { watch } else { await SignalWatch { [console] in console.abandon() } }
            defer { signals.stop() }
            signals.engage()
            let additions = try await Self.locating(plans) { try await engine.download(wanted) }
            let run = try await follow(additions, in: engine, actions: actions, besides: refused)
            try await tellOfDependencies(additions.map(\.transfer), in: engine)
            let end = try await run.run(signals)
            let status = try await finish(engine, additions.map(\.transfer.id), end)
            run.endWork.writeLast()
            return status
        }
    }

    /// Names transfers that this command does not run, although transfers of this command wait for them.
    private func tellOfDependencies(_ added: [Transfer], in engine: TransferEngine) async throws {
        let own = Set(added.map(\.id))
        let others = Set(added.flatMap(\.dependencies)).subtracting(own).sorted()
        for id in others.prefix(Self.mostDependencies) {
            let other = try await engine.snapshot(of: id)
            guard other.claim == nil, !other.state.isFinal else { continue }
            let waiting = added.first { $0.dependencies.contains(id) }.map { "Transfer \($0.id)" } ?? "It"
            console.notice(
                "\(waiting) comes after transfer \(id), which is \(other.stateText(at: SystemTime.now)) and not running. "
                    + "`ferry resume \(id)` or `ferry run` in another terminal runs it."
            )
        }
    }

    /// Maximum transfers that are named because others wait for them.
    private static let mostDependencies = 5

    /// Runs `body`, and says which of several requests an error is about.
    private static func locating<Result>(
        _ plans: [RequestPlan],
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as StoreError {
            throw RequestPlan.located(error, among: plans)
        }
    }

    private func transfers(
        _ plans: [RequestPlan],
        _ access: some TransferAccess
    ) async throws -> [NewTransfer] {
        var transfers: [NewTransfer] = []
        for plan in plans { transfers.append(try await plan.transfer(RequestPreparation(access))) }
        return transfers
    }
}
