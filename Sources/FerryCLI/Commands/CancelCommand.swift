import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry cancel`: ends transfers for good.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End transfers for good, and remove their part files and unfinished uploads.",
        discussion: "Completed files stay. `ferry pause` stops transfers and keeps their bytes."
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
                let selection = numbers.selection
                let ids = try await selection.resolve(in: client, .unfinished)
                let owners = try await OwnerDirectory(client)
                session.nothingToDo(ids)
                let keepPart = keepPart
                let steering = try await client.steering()
                let isSummedUp = session.sumsUp(ids)
                var (cancelled, asked) = (0, 0)
                let status = await session.eachTogether(ids) { id in
                    // The path is read first: a cancelled transfer no longer knows its file.
                    let part = keepPart ? try await client.snapshot(of: id).partPath : nil
                    return (try await steering.cancel(id, keepingPart: keepPart), part)
                } tell: { transfer, part in
                    if transfer.wish == nil { cancelled += 1 } else { asked += 1 }
                    let left = transfer.wording.remnant.flatMap { remnant in
                        remnant.hint.map { "cancelled; \(remnant.clause). \($0)" }
                    }
                    // What is left to do is told in any case.
                    let isOver = part == nil ? left == nil : transfer.hasResumablePart
                    let isUsual =
                        transfer.wish == nil ? isOver : owners.unprovedOwner(of: transfer) == nil
                    if isSummedUp, isUsual { return }
                    let done = part.map { Self.keptText($0, transfer) } ?? left ?? "cancelled."
                    let text = Session.pending(transfer, owners, done: done, asked: "is being cancelled")
                    session.steered(transfer, text, owners: owners)
                }
                if isSummedUp || (selection.isWide && cancelled + asked > 1),
                    let line = Self.summary(cancelled: cancelled, asked: asked, keepsParts: keepPart)
                {
                    session.console.notice(line)
                }
                return status
            }
        }
    }

    /// The line for several transfers; `nil` for none.
    ///
    /// - Parameters:
    ///   - asked: the number of those that other processes run, and have been asked to cancel.
    ///   - keepsParts: whether part files and unfinished uploads are kept.
    static func summary(cancelled: Int, asked: Int, keepsParts: Bool) -> String? {
        guard cancelled + asked > 0 else { return nil }
        var counts: [String] = []
        if cancelled > 0 { counts.append("\(cancelled) cancelled") }
        if asked > 0 { counts.append("\(asked) being cancelled") }
        let rest =
            keepsParts
            ? "Part files and unfinished uploads stay. `ferry get` with the same URL and destination resumes a file."
            : "Completed files stay; part files and unfinished uploads are removed. "
                + "`ferry list --state cancelled` shows the transfers. To start one over, repeat the command that added it."
        return "Transfers: \(counts.joined(separator: ", ")). \(rest)"
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
