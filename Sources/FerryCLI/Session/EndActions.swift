import Ferry
import FerryFrontend

/// What a command does when a transfer has ended, and when it ends itself.
struct EndActions: Hashable, Sendable {
    /// The shell commands for completed and failed transfers.
    var onComplete: String?
    var onFail: String?
    /// What is printed on standard output.
    var format: WriteOut?

    /// How long the command may run; `nil` for as long as it takes.
    var maxTime: Duration?

    /// The shell command for a transfer; `nil` for none.
    func command(for transfer: Transfer) -> (option: String, line: String)? {
        switch transfer.state {
        case .completed: onComplete.map { ("--on-complete", $0) }
        case .failed: onFail.map { ("--on-fail", $0) }
        case .queued, .active, .waiting, .paused, .cancelled: nil
        }
    }
}

/// Carries out the actions of ended transfers: prints at once, and runs commands one by one in a task of its own.
final class EndWork: Sendable {
    private let actions: EndActions
    private let console: Console
    private let ended: AsyncStream<Announcement>
    private let feed: AsyncStream<Announcement>.Continuation

    /// The longest time that a command may take.
    private static let longestCommand: Duration = .seconds(86_400)

    init(_ actions: EndActions, _ console: Console) {
        (self.actions, self.console) = (actions, console)
        (ended, feed) = AsyncStream.makeStream()
    }

    /// Notes an announcement. Those of transfers that have not ended are ignored.
    func note(_ announcement: Announcement) {
        guard case .state(let took) = announcement.news, announcement.transfer.state.isFinal else { return }
        if let format = actions.format {
            console.data(Array(format.text(for: announcement, took: took).utf8))
        }
        if actions.command(for: announcement.transfer) != nil { feed.yield(announcement) }
    }

    /// Expects no more transfers.
    func close() { feed.finish() }

    /// Runs the commands, until the last one after ``close()`` has ended.
    func run() async {
        for await announcement in ended {
            guard let (option, line) = actions.command(for: announcement.transfer) else { continue }
            var command = ShellCommand(line: line, limit: Self.longestCommand)
            command.input = Array(announcement.json(owners: OwnerDirectory()).text.utf8) + [0x0A]
            command.temporaryDirectory = ProcessEnvironment.currentVariables()["TMPDIR"] ?? "/tmp"
            command.variables["FERRY_ID"] = "\(announcement.transfer.id)"
            command.variables["FERRY_PATH"] = announcement.transfer.finalPath
            do {
                let output = try await command.output()
                for line in String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline) {
                    console.notice(TerminalText.safe(String(line)))
                }
            } catch {
                let reason = (error as? ShellCommand.Failure)?.description ?? "\(error)"
                console.warning(
                    "The command of \(option) for \(announcement.transfer.displayName) did not succeed: \(reason)."
                )
            }
        }
    }
}
