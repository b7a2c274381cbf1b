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

    @Flag(
        help: ArgumentHelp(
            "Take over the unfinished file that another tool left under the name.",
            discussion: "As `ferry adopt` does."
        )
    )
    var adopt = false

    @Option(
        help: ArgumentHelp(
            "Download into this pool, or use the file that is there, and print its path; -o copies it.",
            discussion: "A file that is fresh is not asked for. `ferry cache set` says how long that is.",
            valueName: "pool"
        ),
        transform: PoolName.read
    )
    var cache: PoolName?

    @OptionGroup var download: DownloadArguments
    @OptionGroup var jobs: JobsArgument
    @OptionGroup var rate: RateArgument
    @OptionGroup var refresh: RefreshArgument
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        guard cache != nil else { return }
        let others: [(isGiven: Bool, option: String)] = [
            (adopt, "--adopt"), (download.list != nil, "-i"), (!download.metalink.isEmpty, "--metalink"),
            (download.range != nil, "--range"), (download.update, "--update"),
            (download.existing == .noClobber, "--no-clobber"),
            (download.existing == .autoRename, "--auto-rename"),
            (!download.sealTo.isEmpty, "--seal-to"), (!download.sealToFile.isEmpty, "--seal-to-file"),
            (download.connection.insecure, "--insecure"),
            (download.request.allowDowngrade, "--allow-downgrade"),
            (download.directory != nil && download.output == nil, "-d without -o"),
        ]
        if let other = others.first(where: { $0.isGiven }) {
            throw ValidationError("--cache and \(other.option) cannot be used together.")
        }
    }

    func run() async throws {
        try await Session.get(download, jobs, rate, refresh, global, adopting: adopt, from: cache)
    }
}

extension Session {
    /// Downloads files in the foreground.
    ///
    /// - Parameters:
    ///   - adopting: whether files that other tools left are taken over.
    ///   - pool: the pool that serves the files; `nil` for none.
    static func get(
        _ download: DownloadArguments,
        _ jobs: JobsArgument,
        _ rate: RateArgument,
        _ refresh: RefreshArgument,
        _ global: GlobalOptions,
        adopting: Bool,
        from pool: PoolName? = nil
    ) async throws {
        try await Session.run(global) { session in
            // Watches signals first: documents may have to be fetched, and Ctrl-C must not wait for that.
            let signals = await SignalWatch(isIdle: true) { [console = session.console] in console.abandon() }
            defer { signals.stop() }
            var download = download
            guard !adopting || download.sealTo.isEmpty && download.sealToFile.isEmpty else {
                throw CommandFailure.usage("A file that is taken over has bytes in clear. Remove --seal-to.")
            }
            // A wrong URL must not cost the files that are taken over.
            if adopting { download.onChange = download.onChange ?? "fail" }
            let plan = try DownloadPlan(
                try await session.expanded(download.completed(from: session.settings)),
                environment: session.environment
            )
            guard pool == nil || (download.output == nil) == (plan.terms.output == nil) else {
                throw CommandFailure.usage("With --cache, -o must name a file.")
            }
            let terms = try EngineTerms(jobs, rate, session.settings)
            try session.checkOutput(plan)
            for warning in plan.warnings { session.console.warning(warning) }
            guard !plan.isEmpty else {
                session.console.notice("The list has no URLs. Nothing to do.")
                return .done
            }
            try plan.makeFolders()
            session.console.draw(["Starting"])
            return try await session.withEngine {
                $0.scope = .followed
                $0.whenStopped = .pause
                terms.apply(to: &$0)
                $0.refreshURL = refresh.refresher
            } _: { engine in
                if let pool {
                    return try await CacheRun(session).serve(
                        plan,
                        from: pool,
                        copyingTo: download.output,
                        in: engine,
                        signals
                    )
                }
                return try await session.begin(plan, in: engine, signals, adopting: adopting).run(signals)
            }
        }
    }

    /// Refuses JSON together with a download to standard output; warns if the bytes go to a terminal.
    fileprivate func checkOutput(_ plan: DownloadPlan) throws(CommandFailure) {
        guard plan.usesStandardOutput else { return }
        if console.appearance.json {
            throw .usage("--json and -o - both need standard output.", hint: "Omit one of them.")
        }
        if console.outputIsTerminal {
            console.warning("The bytes go to this terminal.")
        }
    }

    /// Adds the downloads of a plan and announces each.
    fileprivate func begin(
        _ plan: DownloadPlan,
        in engine: TransferEngine,
        _ signals: SignalWatch,
        adopting: Bool
    ) async throws -> ForegroundRun {
        var downloads = try await completed(plan, by: engine).transfers
        var exam = DestinationExam(engine)
        try await exam.examine(&downloads)
        // From here on these transfers are reserved for this command until it releases them.
        signals.engage()
        var transfers = downloads.map(\.transfer)
        if adopting {
            for index in transfers.indices { transfers[index] = try await engine.adopting(transfers[index]) }
        }
        let additions = try await engine.download(transfers)
        tellUnheeded(downloads, additions.map(\.transfer))
        downloads = []
        return try await follow(additions, in: engine)
    }
}
