import ArgumentParser
import Ferry

/// `ferry cancel`: ends transfers for good.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End transfers for good, and remove what they have received."
    )

    @OptionGroup var numbers: TransferNumbers

    @Flag(help: "Leave the part file where it is.")
    var keepPart = false

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global) { session in
            try await session.withEngine { engine in
                let ids = try await numbers.resolve(in: engine, .unfinished)
                let owners = try await OwnerDirectory(engine)
                session.nothingToDo(ids)
                let keepPart = keepPart
                return await session.eachTogether(ids) { id in
                    try await engine.cancel(id, keepingPart: keepPart)
                } tell: { transfer in
                    let done = keepPart ? "cancelled; the part file stays." : "cancelled."
                    let text = Session.pending(transfer, owners, done: done, asked: "is being cancelled")
                    session.steered(transfer, text, owners: owners)
                }
            }
        }
    }
}
