import ArgumentParser
import Ferry
import FerryFrontend

/// The options that say where a new transfer stands among others, and when it may run.
struct PlacementArguments: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Set the priority; higher runs first.", valueName: "number")
    )
    var priority = 0

    @Option(
        help: ArgumentHelp(
            "Add it to this queue; `ferry queue` lists the queues.",
            valueName: "name"
        ),
        completion: .queues,
        transform: QueueName.read
    )
    var queue: QueueName?

    @Option(
        help: ArgumentHelp(
            "Tag it with this name; `ferry list --tag` finds it. Several transfers may share a tag.",
            valueName: "name"
        ),
        transform: TransferTag.read
    )
    var tag: TransferTag?

    @Option(
        help: ArgumentHelp(
            "Start after this transfer has completed; may be repeated.",
            discussion: "If that one fails or is cancelled, this one fails too.",
            valueName: "id"
        ),
        completion: .transfers
    )
    var after: [TransferID] = []
}

extension PlacementArguments {
    /// What was typed, as a plan takes it.
    func input(_ window: WindowArgument, _ deadline: DeadlineArgument) -> PlacementInput {
        var input = PlacementInput()
        input.priority = priority
        input.queue = queue?.text
        input.tag = tag
        input.after = after
        input.window = window.text
        input.notAfter = deadline.text
        return input
    }
}

extension PlacementInput {
    /// What was typed, and from the settings what was not.
    func completed(from settings: Settings) -> PlacementInput {
        var input = self
        if window == nil, let usual = settings[.window] {
            (input.window, input.hasUsualWindow) = (usual, true)
        }
        return input
    }
}
