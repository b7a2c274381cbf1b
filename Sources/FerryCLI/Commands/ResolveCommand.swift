import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry resolve`: tells Ferry whether requests arrived that had an unknown outcome.
struct ResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Tell Ferry whether requests of unknown outcome have arrived.",
        discussion: """
            If the connection breaks after a request without a key was sent, Ferry cannot know whether it arrived, and does \
            not send it again. Ask the server, then say what it knows: with --sent the request counts as completed, with \
            --not-sent `ferry run` sends it again. A failed request with a key may have arrived too; `ferry retry` sends it \
            again with the same key.
            """
    )

    @Argument(
        help: ArgumentHelp("IDs of transfers, as shown by `ferry list`.", valueName: "id"),
        completion: .transfers
    )
    var ids: [TransferID]

    @Flag(help: "They have arrived: count them as completed.")
    var sent = false

    @Flag(help: "They have not arrived: queue them to be sent again.")
    var notSent = false

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        guard sent != notSent else {
            throw ValidationError("Give either --sent or --not-sent.")
        }
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient { client in
                let owners = try await OwnerDirectory(client)
                let steering = try await client.steering()
                let outcome: RequestOutcome = sent ? .arrived : .notArrived
                return await session.eachTogether(ids) { id in
                    // A completed transfer no longer knows those that came after it.
                    let behind = try await steering.failed(behind: id)
                    return (try await steering.resolve(id, as: outcome), behind)
                } tell: { transfer, behind in
                    let text =
                        outcome == .arrived
                        ? "counts as completed." : "queued; `ferry run` sends it again."
                    let rest = Self.text(about: behind, after: transfer.id, outcome)
                    session.steered(transfer, text + rest, owners: owners)
                }
            }
        }
    }

    /// What is to be done about the transfers that failed because the outcome was unknown.
    static func text(about ids: [TransferID], after id: TransferID, _ outcome: RequestOutcome) -> String {
        guard !ids.isEmpty else { return "" }
        let noun = ids.count == 1 ? "Transfer" : "Transfers"
        let names = ids.map { "\($0)" }
        // A transfer that is sent again here must run before them.
        let command = outcome == .arrived ? "`ferry retry" : "`ferry resume \(id)"
        return " \(noun) \(names.joined(separator: ", ")) failed because of it; "
            + "\(command) \(names.joined(separator: " "))` runs \(ids.count == 1 ? "it" : "them")."
    }
}
