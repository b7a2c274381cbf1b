import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry watch`: shows transfers live, in any process.
struct WatchCommand: StoreReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch unfinished transfers of all processes live; q or Ctrl-C ends it.",
        discussion: """
            With IDs, it ends when all of these transfers have ended, with the status of the first one that did not \
            complete, or 0. Into a pipe or a file, it prints lines; without IDs, it then ends when no process runs \
            transfers.
            """
    )

    @Argument(
        help: ArgumentHelp("IDs of transfers (default: all unfinished).", valueName: "id"),
        completion: .transfers
    )
    var ids: [TransferID] = []

    @OptionGroup(title: "Global options") var global: GlobalOptions

    /// The failure for a read-only store, in which changes cannot be observed.
    private static func standsStill(_ directory: String) -> CommandFailure {
        CommandFailure(
            .cannotOpen,
            code: "storeUnavailable",
            "The store in \(directory) is read-only for you and cannot be watched.",
            hint: "Use `ferry list` and `ferry show` for its present state."
        )
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withEngine(for: .reading) { engine in
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
                if try await !session.isRunning(engine) {
                    session.console.notice(
                        "No process runs transfers now. `ferry run` in another terminal runs the queue."
                    )
                }
                let view = WatchView(watched, engine: engine, console: session.console)
                let status = try await view.run()
                return missing == .done ? status : missing
            }
        }
    }
}
