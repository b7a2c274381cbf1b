import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry resume`: resumes interrupted transfers.
struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume paused or interrupted transfers in this command.",
        discussion: """
            Without IDs, it lists unfinished transfers and asks; --all resumes them without asking. \
            Use `ferry retry` for failed transfers; you can also name their IDs here.
            """
    )

    @Argument(
        help: ArgumentHelp("IDs of transfers, as shown by `ferry list`.", valueName: "id"),
        completion: .transfers
    )
    var ids: [TransferID] = []

    @Flag(help: "Resume all unfinished transfers without asking.")
    var all = false

    @Flag(
        help:
            "Take the transfers of a process in another container; use it only if that process is gone."
    )
    var takeOver = false

    @Flag(
        name: .shortAndLong,
        help: "Queue the transfers for the process that runs the queue, and return at once."
    )
    var detach = false

    @OptionGroup var jobs: JobsArgument
    @OptionGroup var rate: RateArgument
    @OptionGroup var refresh: RefreshArgument
    @OptionGroup var ends: EndArguments
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        if all, !ids.isEmpty { throw ValidationError("--all and IDs cannot be used together.") }
        try ends.refuse(beside: detach ? "--detach" : nil)
        if detach, !all, ids.isEmpty {
            throw ValidationError("--detach needs IDs, or --all.")
        }
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            let terms = try EngineTerms(jobs.input, limitRate: rate.text, session.settings)
            let actions = try ends.input.actions(in: session)
            guard !detach else {
                return try await session.withClient { client in
                    try await choose(in: session, from: client) { chosen in
                        try await session.queueAgain(chosen, in: client)
                    }
                }
            }
            return try await session.withEngine {
                terms.applyFollowing(to: &$0)
                $0.refreshURL = refresh.refresher
            } _: { engine in
                try await choose(in: session, from: engine) { chosen in
                    try await session.resume(chosen, in: engine, terms, actions)
                }
            }
        }
    }

    /// Passes on the transfers to resume, if there are any and the person agrees.
    private func choose(
        in session: Session,
        from transfers: some TransferAccess,
        _ resume: ([TransferID]) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        var chosen = ids
        if ids.isEmpty {
            let resumable = try await ResumableTransfers(transfers, takingOver: takeOver)
            guard !resumable.transfers.isEmpty else {
                return try await session.nothingToResume(transfers, elsewhere: resumable.elsewhere)
            }
            chosen = resumable.transfers.map(\.id)
            if !all {
                chosen = await session.choose(among: resumable)
                guard !chosen.isEmpty else { return .unfinished }
            }
        }
        if takeOver { try await transfers.takeOver(chosen) }
        return try await resume(chosen)
    }
}

extension Session {
    /// Reports that no transfers can be resumed, and those kept for another process.
    fileprivate func nothingToResume(
        _ transfers: some TransferAccess,
        elsewhere: Int
    ) async throws -> ExitStatus {
        let kept = try await KeptTransfers(transfers, owners: OwnerDirectory(transfers))
        guard !kept.isEmpty else {
            console.notice(
                elsewhere == 0
                    ? "No unfinished transfers."
                    : "Nothing to resume; \(elsewhere) \(elsewhere == 1 ? "transfer runs" : "transfers run") in another "
                        + "process. Watch with `ferry watch`."
            )
            return .done
        }
        for line in kept.allLines { console.warning(line) }
        return .unfinished
    }

    /// Lists unfinished transfers and asks which to resume; without a terminal, names the commands to type.
    fileprivate func choose(among resumable: ResumableTransfers) async -> [TransferID] {
        if console.appearance.json {
            for transfer in resumable.transfers {
                console.data(
                    .object(
                        TransferRecord.full(transfer, transfer.recordedProgress, owners: OwnerDirectory())
                    )
                )
            }
            return []
        }
        let table = TransferTable(
            columns: Terminal.errors.isTerminal ? console.errorSize.columns : nil,
            workingDirectory: environment.workingDirectory,
            home: environment.home
        )
        console.message(table.header)
        for transfer in resumable.transfers.prefix(ResumableTransfers.mostListed) {
            for line in table.lines(transfer, transfer.recordedProgress) { console.message(line) }
        }
        if resumable.transfers.count > ResumableTransfers.mostListed {
            console.message("and \(resumable.transfers.count - ResumableTransfers.mostListed) more")
        }
        guard Terminal.input.isTerminal, Terminal.errors.isTerminal else {
            console.message("`ferry resume --all` resumes all of them, `ferry resume ID…` some.")
            return []
        }
        return await resumable.chosen { [console] help in
            if let help { console.notice(help) }
            await console.finish()
            _ = Terminal.errors.write(resumable.question(columns: console.errorSize.columns - 2) + " ")
            let answer = readLine()
            if answer == nil { console.message("") }
            return answer
        }
    }
}
