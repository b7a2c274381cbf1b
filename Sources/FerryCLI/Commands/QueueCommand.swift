import ArgumentParser

/// `ferry queue`: the queues and their settings.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "List queues, change how many of each run at once, pause and resume them.",
        discussion: """
            A queue is a name that transfers are added with (--queue). It has 10 slots, and 8 for each host, unless \
            told otherwise, whichever processes run it; the queue 'default' has neither bound until it is given one.
            """,
        subcommands: [
            QueueListCommand.self, QueueSetCommand.self, QueuePauseCommand.self, QueueResumeCommand.self,
            QueueRemoveCommand.self,
        ],
        defaultSubcommand: QueueListCommand.self
    )
}
