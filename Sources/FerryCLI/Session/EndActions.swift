import Ferry
import FerryFrontend
import Synchronization

/// What a command does when a transfer has ended, and when it ends itself.
struct EndActions: Hashable, Sendable {
    /// The shell commands for completed and failed transfers.
    var onComplete: String?
    var onFail: String?
    /// What is printed on standard output.
    var format: WriteOut?
    /// Whether it is printed after the body of a response, as in curl, and not at once.
    var writesLast = false

    /// Where the input and the output of the commands are kept.
    var temporaryDirectory = "/tmp"

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
    private struct State {
        /// The command that runs.
        var running: Task<ShellCommand.Ending, any Error>?
        var isStopped = false
        /// What is to be written after the body of a response.
        var unwritten: [UInt8] = []
    }

    private let actions: EndActions
    private let console: Console
    private let ended: AsyncStream<Announcement>
    private let feed: AsyncStream<Announcement>.Continuation
    private let state = Mutex(State())

    /// The longest time that a command may take.
    private static let longestCommand: Duration = .seconds(86_400)

    init(_ actions: EndActions, _ console: Console) {
        (self.actions, self.console) = (actions, console)
        (ended, feed) = AsyncStream.makeStream()
    }

    /// Notes an announcement. Those of transfers that have not ended are ignored.
    ///
    /// - Parameter isEarlier: whether the transfer had ended before the command began.
    func note(_ announcement: Announcement, isEarlier: Bool = false) {
        guard case .state = announcement.news, announcement.transfer.state.isFinal else { return }
        write(announcement, isEarlier: isEarlier)
        if actions.command(for: announcement.transfer) != nil { feed.yield(announcement) }
    }

    /// Notes the end of a run, and tells what it has stopped. A script gets a line for each such transfer, whatever stopped
    /// the run. Transfers of a queue resume later, and get their lines then. As in curl, the end of the time of
    /// `--max-time` is an error message even with `--quiet`.
    func noteEnd(_ ledger: RunLedger, _ kind: ForegroundRun.Kind, isTimeOver: Bool, status: ExitStatus) {
        if isTimeOver || !kind.isQueue {
            for announcement in ledger.stopped(at: SystemTime.steady) { write(announcement) }
        }
        guard isTimeOver, status == .unfinished, console.appearance.quiet, !console.appearance.json else {
            return
        }
        console.failure(
            CommandFailure(
                .unfinished,
                code: "incomplete",
                "Stopped, because the time of --max-time is over.",
                hint: "`ferry list` shows the unfinished transfers, `ferry run` resumes them."
            )
        )
    }

    /// Writes the line of `--write-out` for a transfer.
    private func write(_ announcement: Announcement, isEarlier: Bool = false) {
        guard let format = actions.format, case .state(let took) = announcement.news else { return }
        var text = format.text(for: announcement, took: took, isEarlier: isEarlier)
        // On a terminal, what follows would overwrite a line that is not ended.
        if console.outputIsTerminal, !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
        guard actions.writesLast else { return console.data(Array(text.utf8)) }
        state.withLock { $0.unwritten += Array(text.utf8) }
    }

    /// Writes what comes after the body of a response, which was printed meanwhile.
    func writeLast() {
        let bytes = state.withLock { state in
            defer { state.unwritten = [] }
            return state.unwritten
        }
        if !bytes.isEmpty { console.data(bytes) }
    }

    /// Expects no more transfers.
    func close() { feed.finish() }

    /// Kills the command that runs, and runs no other.
    func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            return state.running
        }
        running?.cancel()
    }

    /// Runs the commands, until the last one after ``close()`` has ended.
    func run() async {
        await withTaskCancellationHandler {
            var left = 0
            for await announcement in ended {
                guard let (option, command) = command(for: announcement) else { continue }
                guard let task = begin(command) else {
                    left += 1
                    continue
                }
                guard let reason = await problem(of: task) else { continue }
                let name = announcement.transfer.displayName
                console.warning("The command of \(option) for \(name) did not succeed: \(reason).")
            }
            if left > 0 {
                console.warning(
                    "\(left) \(left == 1 ? "command was" : "commands were") not run for ended transfers."
                )
            }
        } onCancel: {
            stop()
        }
    }

    /// Prints what the command printed, and returns why it did not succeed; `nil` if it did.
    private func problem(of task: Task<ShellCommand.Ending, any Error>) async -> String? {
        switch await task.result {
        case .success(let ending):
            print(ending.output)
            return ending.failure?.description
        case .failure(let error): return (error as? ShellCommand.Failure)?.description ?? "\(error)"
        }
    }

    private func begin(_ command: ShellCommand) -> Task<ShellCommand.Ending, any Error>? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            let task = Task { try await command.beginningOfOutput() }
            state.running = task
            return task
        }
    }

    private func command(for announcement: Announcement) -> (option: String, command: ShellCommand)? {
        guard let (option, line) = actions.command(for: announcement.transfer) else { return nil }
        var command = ShellCommand(line: line, limit: Self.longestCommand)
        command.input = Array(announcement.json(owners: OwnerDirectory()).text.utf8) + [0x0A]
        command.temporaryDirectory = actions.temporaryDirectory
        command.variables["FERRY_ID"] = "\(announcement.transfer.id)"
        command.variables["FERRY_PATH"] = announcement.transfer.finalPath
        return (option, command)
    }

    private func print(_ output: [UInt8]) {
        for line in String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline) {
            console.line(TerminalText.safe(String(line)))
        }
    }
}
