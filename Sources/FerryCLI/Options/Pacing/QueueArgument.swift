import ArgumentParser

/// The queue that a command is about.
struct QueueArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Name of the queue.", valueName: "name"),
        completion: .queues,
        transform: QueueName.read
    )
    var name: QueueName

    /// The name.
    var text: String { name.text }
}
