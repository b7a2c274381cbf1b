import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry get`: downloads files in the foreground.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download files, or resume interrupted downloads.",
        discussion: """
            Repeat the command to resume from the last received byte. Press Ctrl-C to stop: the received bytes are kept, \
            and the status is 7. Press Ctrl-C again to quit at once.
            """
    )

    @OptionGroup var download: DownloadArguments
    @OptionGroup(title: "Request options") var request: RequestArguments
    @OptionGroup(title: "Request options") var store: ObjectStoreArguments
    @OptionGroup(title: "Connection options") var connection: ConnectionArguments

    @Flag(
        help: ArgumentHelp(
            "Take over the unfinished file that another tool left under the name.",
            discussion: """
                Works as `ferry adopt` does. With --on-change restart, it deletes a file that is not the server's. If \
                several files are named, it downloads those that do not exist from the start.
                """
        )
    )
    var adopt = false

    @Flag(
        name: [.customShort("I"), .customLong("head"), .customLong("dry-run")],
        help: "Print what would be done, and the name, size, type and version of each file; download nothing."
    )
    var isDryRun = false

    @Option(
        help: ArgumentHelp(
            "Download the file into this pool of the cache, unless it is there, and print its path; -o copies it.",
            discussion: "A fresh file needs no request. `ferry cache set` sets how long a file is fresh.",
            valueName: "pool"
        ),
        completion: .pools,
        transform: PoolName.read
    )
    var cache: PoolName?

    @OptionGroup var jobs: JobsArgument
    @OptionGroup var rate: RateArgument
    @OptionGroup var saving: SaveCookiesArgument
    @OptionGroup var refresh: RefreshArgument
    @OptionGroup var ends: EndArguments
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        if isDryRun, ends.writing.writeOut != nil {
            throw ValidationError(
                "-I (--dry-run) and -w (--write-out) cannot be used together. "
                    + "`ferry get -s -o /dev/null -w FORMAT URL` downloads the file, keeps nothing, and prints the fields."
            )
        }
        try ends.refuse(beside: isDryRun ? "--dry-run" : cache.map { _ in "--cache" })
        if isDryRun, adopt {
            throw ValidationError(
                "--dry-run and --adopt cannot be used together. `ferry adopt --dry-run FILE URL` tells what is taken over."
            )
        }
        guard cache != nil else { return }
        let others: [(isGiven: Bool, option: String)] = [
            (adopt, "--adopt"), (isDryRun, "--dry-run"), (download.list != nil, "-i"),
            (!download.metalink.isEmpty, "--metalink"),
            (download.range != nil, "--range"), (download.update, "--update"),
            (download.existing == .noClobber, "--no-clobber"),
            (download.existing == .autoRename, "--auto-rename"),
            (!download.sealTo.isEmpty, "--seal-to"), (!download.sealToFile.isEmpty, "--seal-to-file"),
            (connection.insecure, "--insecure"),
            (request.allowDowngrade, "--allow-downgrade"),
            (download.directory != nil && download.output == nil, "-d without -o"),
        ]
        if let other = others.first(where: { $0.isGiven }) {
            throw ValidationError("--cache and \(other.option) cannot be used together.")
        }
    }

    /// What was typed, without the parser.
    var input: GetInput {
        getInput(
            download.input(with: requestInput, connection.input),
            cache.map { GetInput.Aim.serve(from: $0) } ?? .fetch(repeatedCommand)
        )
    }

    private var repeatedCommand: RepeatedCommand {
        adopt ? .gettingToAdopt : download.familiar.continues ? .continuing : .getting
    }

    func run() async throws {
        if isDryRun { try await Session.preview(input) } else { try await Session.get(input) }
    }
}

extension Session {
    /// Prints what a download would do and what servers say of the files; downloads nothing.
    static func preview(_ input: GetInput) async throws {
        try await Session.run(input.global, explaining: SwallowedURL.explained) { session in
            let report = LookUpReport(session.console)
            let signals = await SignalWatch(isIdle: true) { report.abandon() }
            defer { signals.stop() }
            let (plan, cookies) = try await session.plan(of: input)
            for warning in plan.warnings { session.console.warning(warning) }
            return try await cookies.saving {
                if case .fetch(let command) = input.aim, command.adopts {
                    return try await AdoptionDryRun(session, cookies.shared).tell(plan)
                }
                return try await DryRun(session, cookies.shared, report).tell(plan)
            }
        }
    }

    /// Downloads files in the foreground.
    static func get(_ input: GetInput) async throws {
        try await Session.run(input.global, explaining: SwallowedURL.explained) { session in
            // Watches signals first: documents may have to be fetched, and Ctrl-C must not wait for that.
            let signals = await SignalWatch(isIdle: true) { [console = session.console] in console.abandon() }
            defer { signals.stop() }
            let (plan, cookies) = try await session.plan(of: input)
            let terms = try EngineTerms(input.jobs, limitRate: input.limitRate, session.settings)
            let actions = try input.ends.actions(in: session)
            try session.checkOutput(plan)
            for warning in plan.warnings { session.console.warning(warning) }
            guard !plan.isEmpty else {
                session.console.notice("The list has no URLs. Nothing to do.")
                return .done
            }
            try plan.makeFolders()
            session.console.draw(["Starting"])
            return try await cookies.saving {
                try await session.withEngine {
                    terms.applyFollowing(to: &$0)
                    $0.refreshURL = RefreshArgument.refresher(input.refreshCommand)
                    $0.cookies = cookies.shared
                } _: { engine in
                    switch input.aim {
                    case .serve(let pool):
                        let output = input.download.output
                        let serving = CacheServing(session, engine, from: pool, copyingTo: output)
                        return try await serving.serve(plan, signals)
                    case .fetch(let command):
                        return try await session.fetch(plan, in: engine, signals, command, terms, actions)
                    }
                }
            }
        }
    }

    /// The plan of a command line, and the cookies that it begins with.
    private func plan(of input: GetInput) async throws -> (DownloadPlan, SavedCookies) {
        let path = input.savedCookies
        var download = input.download.completed(from: settings)
        download.cookies = try SavedCookies.loaded(download.cookies, savingTo: path, environment)
        if case .fetch(let command) = input.aim, command.adopts {
            guard download.sealTo.isEmpty && download.sealToFiles.isEmpty else {
                throw CommandFailure.usage(
                    "--seal-to cannot be used here: the bytes of the existing file are not encrypted."
                )
            }
            // A wrong URL must not cost the files that are taken over.
            download.onChange = download.onChange ?? "fail"
        }
        var plan = try DownloadPlan(try await expanded(download), environment: environment)
        // No limit at all: not even one that `ferry add` or `ferry edit` has given to a download.
        if input.limitRate != nil, try RateArgument.schedule(input.limitRate) == .off {
            plan.limitEach(to: .off)
        }
        if case .serve = input.aim, (input.download.output == nil) != (plan.terms.output == nil) {
            throw CommandFailure.usage("With --cache, -o must name a file.")
        }
        return (plan, try SavedCookies(to: path, beginningWith: plan.terms.cookieJar, self))
    }

    /// Refuses JSON together with a download to standard output; warns if the bytes go to a terminal.
    fileprivate func checkOutput(_ plan: DownloadPlan) throws(CommandFailure) {
        guard plan.usesStandardOutput else { return }
        if console.appearance.json {
            throw .usage("--json and -o - both need standard output.", hint: "Omit one of them.")
        }
        if console.outputIsTerminal {
            console.warning("The bytes go to this terminal.")
            console.silence()
        }
    }

    /// Downloads the files of a plan.
    fileprivate func fetch(
        _ plan: DownloadPlan,
        in engine: TransferEngine,
        _ signals: SignalWatch,
        _ command: RepeatedCommand,
        _ terms: EngineTerms,
        _ actions: EndActions
    ) async throws -> ExitStatus {
        let whole = try await completed(plan, by: engine)
        // A Metalink from a server names further ones.
        if !plan.isComplete { try whole.makeFolders() }
        // A single file has lines of its own.
        let unchanged = whole.count > 1 && console.appearance.verbosity == 0 ? UnchangedFiles() : nil
        let run = ForegroundRun(
            .transfers(count: whole.count),
            engine: engine,
            console: console,
            command: command,
            resuming: terms.repeated,
            actions: actions,
            unchanged: unchanged
        )
        let added = try await begin(whole, by: run, signals, terms.typedRate, adopting: command.adopts)
        let status = try await run.run(signals)
        if let line = unchanged?.takeLine() { console.notice(line) }
        await forget(run.refused.filter { added.contains($0) }, in: engine)
        return status
    }

    /// Removes downloads that this command has added and that were refused because something has their names. The person
    /// was told, and a line in the list would be of no use.
    private func forget(_ refused: Set<TransferID>, in engine: TransferEngine) async {
        guard !refused.isEmpty else { return }
        do {
            // Another process may follow one of them, and has to learn how it ended.
            guard try await !OwnerDirectory(engine).hasOthers else { return }
            try await engine.forgetRefused(refused.sorted())
        } catch {
            // The lines in the list stay, which does no harm.
            return
        }
    }

    /// Maximum number of downloads in one commit. Only these are in memory as a whole.
    private static let together = 2_000

    /// Adds the downloads of a plan, page by page, and announces each. After a signal that asks for the end, no further page
    /// is added.
    ///
    /// - Returns: those that did not exist before.
    /// - Throws: ``CommandFailure`` with the number of downloads that were added before the failure.
    private func begin(
        _ plan: DownloadPlan,
        by run: ForegroundRun,
        _ signals: SignalWatch,
        _ rate: CommandRate?,
        adopting: Bool
    ) async throws -> TransferIDSet {
        var exam = DestinationExam(run.engine)
        if plan.count > Self.together || plan.hasDirectories { try await exam.check(plan) }
        var downloads = try plan.downloads()
        var page = try downloads.next(Self.together)
        var (count, added, mirrors) = (0, TransferIDSet(), MirrorAdvice())
        do {
            repeat {
                try await exam.examine(&page)
                // From here on these transfers are reserved for this command until it releases them.
                signals.engage()
                try await add(page, of: plan, by: run, limitedTo: rate, adopting: adopting) {
                    count += $1.count
                    for case .added(let transfer) in $1 { added.insert(transfer.id) }
                    if let warning = mirrors.note($0, $1, of: plan) { console.warning(warning) }
                }
                page = try downloads.next(Self.together)
                guard !page.isEmpty else { break }
                console.draw(["Added \(count) of \(plan.count)"])
                await awaitReader(signals)
                if signals.hasCome {
                    run.leaveRest()
                    console.notice(
                        "Added \(count) of \(plan.count) downloads. Repeat the command to add the rest."
                    )
                    break
                }
            } while true
        } catch {
            guard 0 < count, count < plan.count else { throw error }
            throw await failure(error, after: count, of: plan, run.engine)
        }
        return added
    }

    /// Waits for a slow reader between two pages rather than filling the memory. A signal that asks for the end ends the wait.
    private func awaitReader(_ signals: SignalWatch) async {
        await withDiscardingTaskGroup { [console] group in
            group.addTask {
                for await _ in signals.firstSignal() { console.hurry() }
            }
            await console.room()
            group.cancelAll()
        }
    }

    /// Adds a page of a plan, and announces it. If the store refuses one of several downloads, that one is told as a failure, and
    /// the others are added.
    ///
    /// - Parameter note: takes what was asked for and what was added, in parts.
    private func add(
        _ page: [PlannedDownload],
        of plan: DownloadPlan,
        by run: ForegroundRun,
        limitedTo rate: CommandRate?,
        adopting: Bool,
        note: ([PlannedDownload], [Addition]) -> Void
    ) async throws {
        let engine = run.engine
        var transfers = page.map(\.transfer)
        let fromStart =
            adopting ? try await adopt(&transfers, in: engine, asList: plan.hasSeveral) : [:]
        // In a longer list, a download of an earlier page could be taken for one of an earlier command.
        if !adopting, plan.count <= Self.together { transfers = try await engine.asSpelledBefore(transfers) }
        let wanted = transfers
        try await SplitAddition.run(Array(page.indices)[...]) { places in
            try await engine.download(places.map { wanted[$0] })
        } isRefusal: { error in
            plan.count > 1 && error.refusesOne(of: wanted)
        } tell: { places, result in
            let asked = places.map { page[$0] }
            switch result {
            case .success(let additions):
                note(asked, additions)
                tellUnheeded(asked, additions.map(\.transfer))
                for (place, addition) in zip(places, additions) {
                    tellStart(addition, because: fromStart[place])
                }
                try await announce(additions, for: asked, by: run, limitedTo: rate)
            case .failure(let error):
                for one in asked { run.refuse(CommandFailure(error).located(at: plan.place(of: one))) }
            }
        }
    }

    /// Tells that a file which was to be taken over is downloaded from the start.
    private func tellStart(_ addition: Addition, because reason: String?) {
        guard let reason, case .added(let transfer) = addition, transfer.state != .paused else { return }
        console.notice("\(transfer.displayName): \(reason); downloading it from the start.")
    }

    /// Takes over the files that other tools left.
    ///
    /// - Parameter isList: whether a file that does not exist is downloaded from the start. The only one must exist: its
    ///   name may be wrong.
    /// - Returns: why files are downloaded from the start, by their indices.
    private func adopt(
        _ transfers: inout [NewTransfer],
        in engine: TransferEngine,
        asList isList: Bool
    ) async throws -> [Int: String] {
        var fromStart: [Int: String] = [:]
        for index in transfers.indices {
            if let begun = try await engine.adoptingIfBegun(transfers[index]) {
                transfers[index] = begun
                // For example, aria2 has completed no piece.
                if begun.work.progress.received == 0 { fromStart[index] = "none of its bytes can be used" }
            } else if isList {
                fromStart[index] = "no tool has begun this file"
            } else {
                transfers[index] = try await engine.adopting(transfers[index])
            }
        }
        return fromStart
    }
}
