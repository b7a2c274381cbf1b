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
    @Argument(help: ArgumentHelp("IDs of transfers, as shown by `ferry list`.", valueName: "id"))
    var ids: [TransferID] = []

    @Flag(help: "Select every transfer that this command applies to.")
    var all = false

    func validate() throws {
        if all, !ids.isEmpty { throw ValidationError("--all and IDs cannot be used together.") }
        if !all, ids.isEmpty {
            throw ValidationError(
                "Give IDs of transfers, or --all. `ferry list` shows the IDs."
            )
        }
    }

    /// The IDs; with `--all`, those of the transfers that match `filter` and `condition`.
    func resolve(
        in engine: some TransferAccess,
        _ filter: TransferFilter,
        where condition: (Transfer) -> Bool = { _ in true }
    ) async throws -> [TransferID] {
        guard all else { return ids }
        var found: [TransferID] = []
        for try await transfer in engine.transfers(filter) where condition(transfer) {
            found.append(transfer.id)
        }
        return found
    }
}
