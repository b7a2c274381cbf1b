public import ArgumentParser
public import Ferry

extension TransferID: ExpressibleByArgument {
    /// Reads an ID as a person types it.
    public init?(argument: String) {
        self.init(argument)
    }
}

/// IDs of transfers, or every transfer to which a command applies.
struct TransferNumbers: ParsableArguments {
    @Argument(
        help: ArgumentHelp("IDs of transfers, as shown by `ferry list`.", valueName: "id"),
        completion: .transfers
    )
    var ids: [TransferID] = []

    @Flag(help: "Select every transfer that this command applies to.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "Select every transfer in this queue that this command applies to.",
            valueName: "name"
        ),
        completion: .queues,
        transform: QueueName.read
    )
    var queue: QueueName?

    @Option(
        help: ArgumentHelp(
            "Select every transfer with this tag that this command applies to.",
            valueName: "name"
        ),
        transform: TransferTag.read
    )
    var tag: TransferTag?

    /// The selection that was typed.
    var selection: TransferSelection {
        TransferSelection(ids: ids, all: all, queue: queue, tag: tag)
    }

    func validate() throws {
        let isWide = selection.isWide
        if isWide, !ids.isEmpty {
            let option = all ? "--all" : queue != nil ? "--queue" : "--tag"
            throw ValidationError("\(option) and IDs cannot be used together.")
        }
        if !isWide, ids.isEmpty {
            throw ValidationError(
                "Give IDs of transfers, --all, --queue or --tag. `ferry list` shows the IDs."
            )
        }
    }
}
