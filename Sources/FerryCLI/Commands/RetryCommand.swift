import ArgumentParser
import Ferry
import FerryFrontend

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
    @OptionGroup var ends: EndArguments
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws { try ends.refuse(beside: detach ? "--detach" : nil) }

    func run() async throws {
        try await Session.run(global.input) { session in
            let terms = try EngineTerms(jobs.input, limitRate: rate.text, session.settings)
            let actions = try ends.input.actions(in: session)
            guard !detach else {
                return try await session.withClient { client in
                    let ids = try await failed(in: session, client)
                    return try await session.queueAgain(ids, in: client)
                }
            }
            return try await session.withEngine {
                terms.applyFollowing(to: &$0)
                $0.refreshURL = refresh.refresher
            } _: { engine in
                try await session.resume(failed(in: session, engine), in: engine, terms, actions)
            }
        }
    }

    /// The transfers to try again.
    private func failed(in session: Session, _ transfers: some TransferAccess) async throws -> [TransferID] {
        let ids = try await numbers.selection.resolve(in: transfers, .state(.failed)) { !$0.isStandardOutput }
        session.nothingToDo(ids)
        return ids
    }
}
