import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry queue pause`: stops a whole queue, in every process.
struct QueuePauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop the transfers of a queue and start no others until it is resumed."
    )

    @OptionGroup var name: QueueArgument

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient { client in
                try await session.requireQueue(name.text, client)
                let queue = try await client.pauseQueue(name.text)
                try await session.tell(queue, "paused. `ferry queue resume \(name.text)` resumes it.", client)
                return .done
            }
        }
    }
}
