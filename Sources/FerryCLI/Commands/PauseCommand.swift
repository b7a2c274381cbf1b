import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry pause`: stops transfers, in any process, and keeps their bytes.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause transfers, in any process, until you resume them."
    )

    @OptionGroup var numbers: TransferNumbers
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient { client in
                let ids = try await numbers.resolve(in: client, .unfinished) {
                    $0.state != .paused || $0.isLeft
                }
                let owners = try await OwnerDirectory(client)
                session.nothingToDo(ids)
                let steering = try await client.steering()
                return await session.eachTogether(ids) { id in
                    try await steering.pause(id)
                } tell: { transfer in
                    let next = "`ferry resume \(transfer.id)` \(transfer.continuation)."
                    let done = "paused at \(transfer.amountText). \(next)"
                    let text = Session.pending(transfer, owners, done: done, asked: "is being paused")
                    session.steered(transfer, text, owners: owners)
                }
            }
        }
    }
}
