import ArgumentParser
import Ferry

/// `ferry retry`: tries failed transfers again.
struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Retry failed transfers in this command, from the bytes already received."
    )

    @OptionGroup var numbers: TransferNumbers

    @Flag(
        name: .shortAndLong,
        help: "Queue the transfers for the process that runs the queue, and return at once."
    )
    var detach = false

    @OptionGroup var jobs: JobsArgument
    @OptionGroup var rate: RateArgument
    @OptionGroup var refresh: RefreshArgument
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global) { session in
            let terms = try EngineTerms(jobs, rate, session.settings)
            return try await session.withEngine {
                $0.scope = .followed
                $0.whenStopped = .pause
                terms.apply(to: &$0)
                $0.refreshURL = refresh.refresher
            } _: { engine in
                let ids = try await numbers.resolve(in: engine, .state(.failed)) { !$0.isStandardOutput }
                session.nothingToDo(ids)
                return try await session.goOn(with: ids, in: engine, detach: detach)
            }
        }
    }
}
