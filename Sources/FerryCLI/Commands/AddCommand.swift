import ArgumentParser
import Ferry

/// `ferry add`: queues downloads for `ferry run`.
struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Queue downloads for `ferry run`, and print their IDs."
    )

    @OptionGroup var download: DownloadArguments
    @OptionGroup var rate: OwnRateArgument
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global) { session in
            let plan = try DownloadPlan(
                download.completed(from: session.settings),
                environment: session.environment
            )
            let limit = try rate.limit()
            guard !plan.usesStandardOutput else {
                throw CommandFailure.usage(
                    "The process that runs the queue has another standard output.",
                    hint: "Use `ferry get -o -` to stream to this one."
                )
            }
            for warning in plan.warnings { session.console.warning(warning) }
            return try await session.withEngine { engine in
                var plan = try await session.completed(plan, by: engine)
                if let limit { plan.limitEach(to: limit) }
                try await session.examine(&plan.transfers, by: engine)
                let additions = try await engine.add(plan.transfers.map(\.transfer))
                session.tellUnheeded(plan.transfers, additions.map(\.transfer))
                for addition in additions { session.print(addition) }
                let isRun = try await engine.owners().contains { engine.life(of: $0) != .dead }
                if session.console.outputIsTerminal, !isRun {
                    session.console.notice("Queued. Nothing is running this queue; start `ferry run`.")
                }
                try await session.warnIfPaused(plan.terms.queue, engine)
                return .done
            }
        }
    }
}

extension Session {
    fileprivate func print(_ addition: Addition) {
        let transfer = addition.transfer
        guard console.appearance.json else {
            console.data("\(transfer.id)")
            if case .attached = addition {
                let rest = transfer.state == .active ? " and keeps its former options" : ""
                console.notice(
                    "Transfer \(transfer.id) already exists; it is \(transfer.state.name)\(rest)."
                )
            }
            return
        }
        let news: Announcement.News = if case .added = addition { .added } else { .attached(process: nil) }
        let announcement = Announcement(transfer, transfer.recordedProgress, news)
        console.data(announcement.json(owners: OwnerDirectory()))
    }
}
