import Ferry
import FerryFrontend

/// Runs `ferry mirror`: lists, downloads and concludes, and repeats that if it is to watch the source.
struct MirrorRun: Sendable {
    private let session: Session
    private let plan: MirrorPlan
    private let terms: EngineTerms
    private let cookies: SessionCookies
    private let report: MirrorReport
    private let signals: SignalWatch
    /// Counts the files that are up to date, unless each is to be told.
    private let unchanged: UnchangedFiles?

    private var console: Console { session.console }

    init(_ session: Session, _ plan: MirrorPlan, _ terms: EngineTerms, _ cookies: SessionCookies) async {
        (self.session, self.plan, self.terms, self.cookies) = (session, plan, terms, cookies)
        // For all of the command, so that a signal between two parts of it does not end it at once.
        signals = await SignalWatch { [console = session.console] in console.abandon() }
        unchanged = session.console.appearance.verbosity > 0 ? nil : UnchangedFiles()
        report = MirrorReport(session.console, source: plan.source.redacted, isDryRun: plan.isDryRun)
    }

    /// How a pass ended.
    private enum End {
        case over(ExitStatus)
        case interrupted(ExitStatus)
    }

    /// Runs until the end, or until a signal comes if the source is watched.
    func run() async throws -> ExitStatus {
        defer { signals.stop() }
        guard let interval = plan.interval else {
            do {
                switch try await pass() {
                case .over(let status), .interrupted(let status): return status
                }
            } catch let failure as TransferFailure {
                throw plan.explained(failure)
            }
        }
        while true {
            var status: ExitStatus
            do {
                switch try await pass() {
                case .over(let end): status = end
                case .interrupted(let end): return end
                }
            } catch let failure as TransferFailure {
                // The next pass continues, for example when the server is back.
                let failure = plan.explained(failure)
                console.clear()
                console.failure(failure)
                status = failure.status
            }
            guard await waits(for: interval) else { return status }
        }
    }

    /// Waits for the next pass; returns `false` if a signal asks for the end.
    private func waits(for interval: Duration) async -> Bool {
        switch await interruptibly({ try await Task.sleep(for: interval) }) {
        case .success: true
        // Its task is cancelled, or a signal has come.
        case .failure, nil: false
        }
    }

    /// Runs `body`, which a signal cancels.
    ///
    /// - Returns: `nil` if a signal asked for the end.
    private func interruptibly<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error>? {
        await withTaskGroup(of: Result<Value, any Error>?.self) { group in
            group.addTask {
                do {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { [signals] in
                for await _ in signals.firstSignal() { break }
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    // MARK: One pass

    private func pass() async throws -> End {
        let unmounted = try await plan.unmountedDisk {
            try await withTree(for: plan.isDryRun ? .asking : .working) { $0.state }
        }
        if let unmounted {
            console.failure(unmounted)
            return .over(unmounted.status)
        }
        guard !plan.isDryRun else { return try await copy() }
        let isNew = try plan.makeFolder()
        var isDone = false
        defer { if isNew, !isDone { plan.removeEmptyFolder() } }
        let end = try await copy()
        if case .over(.done) = end { isDone = true }
        return end
    }

    private func copy() async throws -> End {
        report.begin()
        console.draw(["Listing \(plan.source.redacted)"])
        let listing = await interruptibly { [self] in
            guard plan.isDryRun else {
                return (try await withTree { try await list($0) }, MirrorTally())
            }
            return try await withTree(for: .reading) { tree in
                let outcome = try await list(tree)
                let isDownloaded = outcome.tally.blocked == 0
                return (outcome, try await conclude(tree, outcome, isDownloaded: isDownloaded))
            }
        }
        console.clear()
        let (outcome, expected): (MirrorDiscovery.Outcome, MirrorTally)
        switch listing {
        case .success(let result): (outcome, expected) = result
        case .failure(let error): throw error
        case nil:
            report.stopListing()
            return .interrupted(.unfinished)
        }
        if plan.isDryRun { return end(expected, .init(), outcome) }
        let (downloads, blocked) = try await download(outcome)
        if let line = unchanged?.takeLine() { console.notice(line) }
        guard !downloads.isInterrupted else {
            report.stop(outcome.tally, downloads, isComplete: outcome.state.isComplete)
            return .interrupted(.unfinished)
        }
        let isDownloaded = downloads.isWhole && blocked == 0
        var tally = try await withTree {
            try await conclude($0, outcome, isDownloaded: isDownloaded)
        }
        tally.blocked = blocked
        return end(tally, downloads, outcome)
    }

    private func withTree<Result>(
        for use: Session.Use = .working,
        _ body: (MirrorTree) async throws -> Result
    ) async throws -> Result {
        try await session.withEngine(for: use, { $0.cookies = cookies }) { engine in
            try await body(MirrorTree(of: plan, in: engine))
        }
    }

    private func list(_ tree: MirrorTree) async throws -> MirrorDiscovery.Outcome {
        let outcome = try await MirrorDiscovery.list(tree, report.tell)
        if outcome.isContinued { try await MirrorConclusion.noteEarlier(of: tree, outcome) }
        return outcome
    }

    private func conclude(
        _ tree: MirrorTree,
        _ outcome: MirrorDiscovery.Outcome,
        isDownloaded: Bool
    ) async throws -> MirrorTally {
        try await MirrorConclusion.conclude(tree, outcome, isDownloaded: isDownloaded, report.tell)
    }

    private func end(
        _ tally: MirrorTally,
        _ downloads: MirrorReport.Downloads,
        _ outcome: MirrorDiscovery.Outcome
    ) -> End {
        let status = status(of: tally, downloads, isComplete: outcome.state.isComplete)
        report.conclude(tally, downloads, isComplete: outcome.state.isComplete, status: status)
        return .over(status)
    }

    private func status(
        of tally: MirrorTally,
        _ downloads: MirrorReport.Downloads,
        isComplete: Bool
    ) -> ExitStatus {
        if downloads.status != .done { return downloads.status }
        if tally.blocked > 0 { return .cannotCreate }
        if !isComplete || tally.refused > 0 { return .badResponse }
        return tally.conflicts > 0 ? .fileExists : .done
    }

    /// Downloads what is marked.
    private func download(
        _ outcome: MirrorDiscovery.Outcome
    ) async throws -> (downloads: MirrorReport.Downloads, blocked: Int) {
        var result = MirrorReport.Downloads()
        var files = MirrorDownloads(outcome.state, report.tell)
        while !files.isDone, !result.isInterrupted {
            (files, result) = try await session.withEngine {
                terms.applyFollowing(to: &$0)
                $0.cookies = cookies
            } _: { engine in
                let tree = try await MirrorTree(of: plan, in: engine)
                try await MirrorConclusion.note(files.batch, of: tree, outcome)
                return try await some(of: files, result, tree)
            }
        }
        return (result, files.blockedCount)
    }

    /// Runs the next transfers to their end.
    private func some(
        of files: MirrorDownloads,
        _ former: MirrorReport.Downloads,
        _ tree: MirrorTree
    ) async throws -> (MirrorDownloads, MirrorReport.Downloads) {
        var (files, result) = (files, former)
        let additions = try await files.next(of: tree)
        guard !additions.isEmpty else { return (files, result) }
        let run = try await session.follow(
            additions,
            in: tree.engine,
            command: .mirroring,
            unchanged: unchanged
        )
        let status = try await run.run(signals)
        let (tally, unfinished, received) = run.result
        result.completed += tally.completed
        result.failed += tally.failed
        result.cancelled += tally.cancelled
        result.unfinished += unfinished
        result.received = result.received.addingSaturated(received)
        if result.status == .done { result.status = status }
        result.isWhole = result.isWhole && run.isDone(besides: .fileExists)
        result.isInterrupted = run.isInterrupted && unfinished > 0
        return (files, result)
    }
}
