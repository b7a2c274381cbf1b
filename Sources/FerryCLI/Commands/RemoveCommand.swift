import ArgumentParser
import Ferry

/// `ferry remove`: removes finished transfers from the list.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forget transfers that are over; finished files stay.",
        discussion: """
            The part file of a failed one is removed, so --all leaves those out: name them by their numbers, or all of \
            them with --state failed.
            """
    )

    @Argument(help: ArgumentHelp("The numbers of transfers, as `ferry list` shows them.", valueName: "id"))
    var ids: [TransferID] = []

    @Flag(help: "Forget all that are completed or cancelled.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "Forget all in this state: completed, cancelled or failed; may be repeated.",
            valueName: "state"
        )
    )
    var state: [String] = []

    @OptionGroup(title: "Global options") var global: GlobalOptions

    /// The states of finished transfers.
    static let states = ["completed", "cancelled", "failed"]

    func validate() throws {
        if all, !state.isEmpty { throw ValidationError("--all and --state exclude each other.") }
        if !ids.isEmpty, all || !state.isEmpty {
            throw ValidationError("\(all ? "--all" : "--state") and numbers of transfers exclude each other.")
        }
        if ids.isEmpty, !all, state.isEmpty {
            throw ValidationError(
                "Name transfers by their numbers, or all with --all or --state. `ferry list` shows them."
            )
        }
        for name in state where !Self.states.contains(name) {
            throw ValidationError("--state must be one of \(Self.states.joined(separator: ", ")).")
        }
    }

    /// The states whose transfers are all removed.
    var wanted: [String] {
        let named = all ? ["completed", "cancelled"] : state
        return Self.states.filter { named.contains($0) }
    }

    func run() async throws {
        try await Session.run(global) { session in
            try await session.withEngine { engine in
                var found = ids
                for name in wanted {
                    try await engine.forEachTransfer(.state(name)) { transfer in
                        found.append(transfer.id)
                        return true
                    }
                }
                session.nothingToDo(found)
                let owners = OwnerDirectory()
                return await session.eachTogether(found) { id in
                    let transfer = try await Self.readable(id, in: engine)
                    try await engine.remove([id])
                    return (id, transfer)
                } tell: { id, transfer in
                    guard let transfer else { return session.console.notice("Transfer \(id): forgotten.") }
                    session.steered(transfer, "forgotten.", owners: owners)
                }
            }
        }
    }

    /// A transfer; `nil` if its row is damaged, which does not prevent its removal.
    private static func readable(
        _ id: TransferID,
        in engine: TransferEngine
    ) async throws(StoreError) -> Transfer? {
        do throws(StoreError) {
            return try await engine.snapshot(of: id)
        } catch {
            guard error.damage != nil else { throw error }
            return nil
        }
    }
}
