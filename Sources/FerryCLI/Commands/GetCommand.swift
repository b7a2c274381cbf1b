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

    @OptionGroup var download: DownloadArguments
    @OptionGroup var jobs: JobsArgument
    @OptionGroup var rate: RateArgument
    @OptionGroup var refresh: RefreshArgument
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.get(download, jobs, rate, refresh, global, adopting: adopt)
    }
}

extension Session {
    /// Downloads files in the foreground.
    ///
    /// - Parameter adopting: whether files that other tools left are taken over.
    static func get(
        _ download: DownloadArguments,
        _ jobs: JobsArgument,
        _ rate: RateArgument,
        _ refresh: RefreshArgument,
        _ global: GlobalOptions,
        adopting: Bool
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
                try await session.begin(plan, in: engine, signals, adopting: adopting).run(signals)
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
