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

    /// Whether transfers are selected by what they are rather than by their IDs.
    private var isSelection: Bool { all || queue != nil || tag != nil }

    func validate() throws {
        if isSelection, !ids.isEmpty {
            let option = all ? "--all" : queue != nil ? "--queue" : "--tag"
            throw ValidationError("\(option) and IDs cannot be used together.")
        }
        if !isSelection, ids.isEmpty {
            throw ValidationError(
                "Give IDs of transfers, --all, --queue or --tag. `ferry list` shows the IDs."
            )
        }
    }

    /// The IDs; with `--all`, `--queue` or `--tag`, those of the transfers that match `filter` and `condition`.
    func resolve(
        in engine: some TransferAccess,
        _ filter: TransferFilter,
        where condition: (Transfer) -> Bool = { _ in true }
    ) async throws -> [TransferID] {
        guard isSelection else { return ids }
        var found: [TransferID] = []
        for try await transfer in engine.transfers(filter.of(queue, tag)) where condition(transfer) {
            found.append(transfer.id)
        }
        return found
    }
}
