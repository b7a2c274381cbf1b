import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry queue list`: lists the queues, with the number of transfers in each.
struct QueueListCommand: StoreReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List queues that have settings, or transfers that run or can run."
    )

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient(for: .reading) { client in
                let queues = try await client.queues()
                let console = session.console
                if global.json {
                    for queue in queues { console.data(queue.json) }
                } else if queues.isEmpty {
                    console.notice("No queues.")
                } else {
                    let lines = QueueTable.lines(queues, columns: console.outputColumns)
                    for line in lines { console.data(line) }
                }
                return .done
            }
        }
    }
}
