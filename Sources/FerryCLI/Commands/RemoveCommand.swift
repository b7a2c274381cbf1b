import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry remove`: removes finished transfers from the list.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove finished transfers from the list; their files stay.",
        discussion: """
            The part file of a failed transfer is removed too, so --all leaves failed transfers out. Remove them by ID, \
            or all of them with --state failed.
            """
    )

    @Argument(
        help: ArgumentHelp("IDs of transfers, as shown by `ferry list`.", valueName: "id"),
        completion: .transfers
    )
    var ids: [TransferID] = []

    @Flag(help: "Remove all completed and cancelled transfers.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "Remove all transfers in this state: completed, cancelled or failed; may be repeated.",
            valueName: "state"
        ),
        transform: TransferState.Name.reading(states)
    )
    var state: [TransferState.Name] = []

    @OptionGroup(title: "Global options") var global: GlobalOptions

    /// The states of finished transfers.
    static let states: [TransferState.Name] = [.completed, .cancelled, .failed]

    func validate() throws {
        if all, !state.isEmpty { throw ValidationError("--all and --state cannot be used together.") }
        if !ids.isEmpty, all || !state.isEmpty {
            throw ValidationError("\(all ? "--all" : "--state") and IDs cannot be used together.")
        }
        if ids.isEmpty, !all, state.isEmpty {
            throw ValidationError(
                "Give IDs of transfers, --all or --state. `ferry list` shows the IDs."
            )
        }
    }

    /// The states whose transfers are all removed.
    var wanted: [TransferState.Name] {
        let named = all ? [.completed, .cancelled] : state
        return Self.states.filter { named.contains($0) }
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient { client in
                var found = ids
                for name in wanted {
                    for try await transfer in client.transfers(.state(name)) { found.append(transfer.id) }
                }
                session.nothingToDo(found)
                let owners = OwnerDirectory()
                let steering = try await client.steering()
                let isSummedUp = session.sumsUp(found)
                var removed = 0
                let status = await session.eachTogether(found) { id in
                    let transfer = try await Self.readable(id, in: client)
                    try await steering.remove([id])
                    return (id, transfer)
                } tell: { id, transfer in
                    removed += 1
                    guard !isSummedUp else { return }
                    guard let transfer else {
                        return session.console.notice("Transfer \(id): removed from the list.")
                    }
                    session.steered(transfer, "removed from the list.", owners: owners)
                }
                if isSummedUp { session.console.notice(Self.summary(of: removed)) }
                return status
            }
        }
    }

    /// The line for many transfers.
    static func summary(of count: Int) -> String {
        "\(count) \(count == 1 ? "transfer" : "transfers") removed from the list."
    }

    /// A transfer; `nil` if its row is damaged, which does not prevent its removal.
    private static func readable(
        _ id: TransferID,
        in client: some TransferAccess
    ) async throws(StoreError) -> Transfer? {
        do throws(StoreError) {
            return try await client.snapshot(of: id)
        } catch {
            guard error.damage != nil else { throw error }
            return nil
        }
    }
}
