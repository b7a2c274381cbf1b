import ArgumentParser
import Ferry

/// `ferry watch`: shows transfers live, in any process.
struct WatchCommand: LookingCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the progress of unfinished transfers of all processes; q or Ctrl-C ends it.",
        discussion: """
            With numbers, it ends when all of these have ended, with the status that the first one which is not \
            complete gives: 0 when all are complete.
            """
    )

    @Argument(
        help: ArgumentHelp("The numbers of transfers; all that are unfinished without any.", valueName: "id")
    )
    var ids: [TransferID] = []

    @OptionGroup(title: "Global options") var global: GlobalOptions

    /// The failure for a read-only store, in which changes cannot be observed.
    private static func standsStill(_ directory: String) -> CommandFailure {
        CommandFailure(
            .cannotOpen,
            code: "storeUnavailable",
            "You may only read the store in \(directory), and a view of it would stand still.",
            hint: "`ferry list` and `ferry show` tell how it is at that moment."
        )
    }

    func run() async throws {
        try await Session.run(global) { session in
            try await session.withEngine(for: .looking) { engine in
                if !session.holdsStore {
                    for id in ids { _ = try await engine.snapshot(of: id) }
                    return .done
                }
                guard !engine.isReadOnly else { throw Self.standsStill(session.dataDirectory) }
                let owners = try await OwnerDirectory(engine)
                for id in ids { _ = try await engine.snapshot(of: id) }
                var watched: [TransferID] = []
                let missing = await session.each(ids) { id in
                    let transfer = try await engine.snapshot(of: id)
                    try await engine.requireFile(of: transfer)
                    if let line = KeptTransfers.line(transfer, owners) { session.console.warning(line) }
                    watched.append(id)
                }
                guard ids.isEmpty || !watched.isEmpty else { return missing }
                let view = WatchView(watched, engine: engine, console: session.console)
                let status = try await view.run()
                return missing == .done ? status : missing
            }
        }
    }
}
