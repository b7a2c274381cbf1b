import ArgumentParser
import Ferry

/// `ferry run`: runs the queue until it is empty.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run what is queued, and what a dead process left, until nothing is left to do."
    )

    @OptionGroup var jobs: JobsArgument
    @OptionGroup var rate: RateArgument
    @OptionGroup var refresh: RefreshArgument
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global) { session in
            let terms = try EngineTerms(jobs, rate, session.settings)
            session.console.draw(["Starting"])
            return try await session.withEngine {
                $0.scope = .everything(untilDrained: true)
                $0.whenStopped = .release
                terms.apply(to: &$0)
                $0.refreshURL = refresh.refresher
            } _: { engine in
                try await ForegroundRun(.queue, engine: engine, console: session.console).run()
            }
        }
    }
}
