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
    @Argument(help: ArgumentHelp("The numbers of transfers, as `ferry list` shows them.", valueName: "id"))
    var ids: [TransferID] = []

    @Flag(help: "Take all that this command can do something with.")
    var all = false

    func validate() throws {
        if all, !ids.isEmpty { throw ValidationError("--all and numbers of transfers exclude each other.") }
        if !all, ids.isEmpty {
            throw ValidationError(
                "Name transfers by their numbers, or all with --all. `ferry list` shows them."
            )
        }
    }

    /// The IDs; with `--all`, those of the transfers that match `filter` and `condition`.
    func resolve(
        in engine: TransferEngine,
        _ filter: TransferFilter,
        where condition: (Transfer) -> Bool = { _ in true }
    ) async throws -> [TransferID] {
        guard all else { return ids }
        var found: [TransferID] = []
        try await engine.forEachTransfer(filter) { transfer in
            if condition(transfer) { found.append(transfer.id) }
            return true
        }
        return found
    }
}
