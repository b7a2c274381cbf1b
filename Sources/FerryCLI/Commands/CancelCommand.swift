import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry cancel`: ends transfers for good.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End transfers for good, and remove their part files and unfinished uploads."
    )

    @OptionGroup var numbers: TransferNumbers

    @Flag(
        help:
            "Keep the part file, or the unfinished upload. `ferry get` with the same URL and destination resumes the file."
    )
    var keepPart = false

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient { client in
                let ids = try await numbers.selection.resolve(in: client, .unfinished)
                let owners = try await OwnerDirectory(client)
                session.nothingToDo(ids)
                let keepPart = keepPart
                let steering = try await client.steering()
                return await session.eachTogether(ids) { id in
                    // The path is read first: a cancelled transfer no longer knows its file.
                    let part = keepPart ? try await client.snapshot(of: id).partPath : nil
                    return (try await steering.cancel(id, keepingPart: keepPart), part)
                } tell: { transfer, part in
                    let left = transfer.wording.remnant.flatMap { remnant in
                        remnant.hint.map { "cancelled; \(remnant.clause). \($0)" }
                    }
                    let done = part.map { Self.keptText($0, transfer) } ?? left ?? "cancelled."
                    let text = Session.pending(transfer, owners, done: done, asked: "is being cancelled")
                    session.steered(transfer, text, owners: owners)
                }
            }
        }
    }

    /// The text about a part file that was kept.
    static func keptText(_ path: String, _ transfer: Transfer) -> String {
        transfer.hasResumablePart
            ? "cancelled; \(path) stays. Resume with `ferry get URL` to the same destination."
            : "cancelled; \(path) stays, but no command resumes it. "
                + "Move or remove it before `ferry get` with its URL, which starts over. "
                + "Use `ferry pause` to resume a transfer later."
    }
}
