import ArgumentParser
import Ferry

/// `ferry remove`: forgets transfers that are over.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forget transfers that are over; finished files stay.",
        discussion: """
            The part file of a failed one is removed, so --all leaves those out: name them by their numbers.
            """
    )

    @OptionGroup var numbers: TransferNumbers
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global) { session in
            try await session.withEngine { engine in
                var ids: [TransferID] = numbers.ids
                if numbers.all {
                    ids = try await numbers.resolve(in: engine, .state("completed"))
                    ids += try await numbers.resolve(in: engine, .state("cancelled"))
                    session.nothingToDo(ids)
                }
                let owners = OwnerDirectory()
                return await session.eachTogether(ids) { id in
                    let transfer = try await engine.snapshot(of: id)
                    try await engine.remove([id])
                    return transfer
                } tell: { transfer in
                    session.steered(transfer, "forgotten.", owners: owners)
                }
            }
        }
    }
}
