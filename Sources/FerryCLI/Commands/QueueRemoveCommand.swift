import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry queue remove`: removes the settings of a queue.
struct QueueRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a queue without unfinished transfers, and its settings."
    )

    @OptionGroup var name: QueueArgument

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient { client in
                try await session.requireQueue(name.text, client)
                let queue = try await client.queue(named: name.text)
                do throws(StoreError) {
                    let text =
                        try await client.removeQueue(name.text) ? "removed." : "it has no settings."
                    if global.json {
                        session.console.data(QueueSummary(queue, running: 0, waiting: 0).json)
                    } else {
                        session.console.notice("Queue \(name.text): \(text)")
                    }
                    return .done
                } catch {
                    throw explained(error)
                }
            }
        }
    }

    /// Adds a hint: unfinished transfers must leave the queue first.
    private func explained(_ error: StoreError) -> CommandFailure {
        var failure = CommandFailure(error)
        guard case .notPossible(let id, _, _) = error else { return failure }
        failure.transfer = id
        failure.hint =
            "`ferry list --queue \(name.text)` shows unfinished transfers; `ferry edit ID --queue NAME` moves one to "
            + "another queue, `ferry cancel ID` ends it."
        return failure
    }
}
