import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry queue resume`: resumes a paused queue.
struct QueueResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Let the transfers of a paused queue start again."
    )

    @OptionGroup var name: QueueArgument

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient { client in
                try await session.requireQueue(name.text, client)
                let queue = try await client.resumeQueue(name.text)
                let isRunning = try await session.isRunning(client)
                try await session.tell(
                    queue,
                    isRunning ? "resumed. Its transfers start again." : "resumed.",
                    client
                )
                try await session.tellOfMissingRun(client)
                return .done
            }
        }
    }
}
