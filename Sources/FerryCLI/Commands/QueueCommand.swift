import ArgumentParser

/// `ferry queue`: the queues and their settings.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "List, change, pause and resume queues.",
        discussion: """
            Add a transfer to a queue with --queue NAME. A queue runs up to 10 transfers at once, over all processes, \
            and up to 8 to one host, unless you change it. The queue 'default' has no limits unless you set them.
            """,
        subcommands: [
            QueueListCommand.self, QueueSetCommand.self, QueuePauseCommand.self, QueueResumeCommand.self,
            QueueRemoveCommand.self,
        ],
        defaultSubcommand: QueueListCommand.self
    )
}
