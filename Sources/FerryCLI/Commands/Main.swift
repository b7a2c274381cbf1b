import ArgumentParser
import CFerryPlatform
import Ferry
import FerryFrontend
import Glibc

/// The entry of the tool.
@main
enum Main {
    static func main() async {
        // Limits malloc arenas: each thread would have its own, and most of the memory for ten thousand small files
        // would be in several of them at once.
        ferry_bound_arenas(2)
        occupyStandardStreams()
        // A reader that closes a pipe causes a write error, and must not end the process.
        signal(SIGPIPE, SIG_IGN)
        // The same for a file that exceeds `ulimit -f`.
        signal(SIGXFSZ, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            try Invocation.check(CommandLine.arguments)
            try Invocation.checkEncoding(
                ProcessEnvironment.currentWords(),
                variables: ProcessEnvironment.currentEntries()
            )
            CommandWords.hideSecrets()
            // At the end of a command all output is written, and the store is closed. Freeing the rest one by one would only take
            // time.
            if let line = QuickLine.read(words) {
                try ProcessLimits.prepare(toRead: line.onlyReads)
                try await line.run()
                exit(ExitStatus.done.rawValue)
            }
            var command = try FerryCommand.parseAsRoot(Invocation.arranged(words))
            if var asking = command as? any AskingCommand {
                try asking.completeUser()
                command = asking
            }
            try ProcessLimits.prepare(toRead: command is any StoreReadingCommand)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            exit(ExitStatus.done.rawValue)
        } catch let failure as CommandFailure {
            leave(failure, words)
        } catch let problem as StorageProblem {
            leave(CommandFailure(problem), words)
        } catch {
            leave(error, words)
        }
    }

    /// Opens `/dev/null` for closed standard streams: otherwise a file or a socket could get their number, and
    /// messages would be written into it.
    private static func occupyStandardStreams() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // Writing to a closed standard output stays an error: what was to be printed or saved there is lost.
            _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }

    /// Ends with a failure that occurs before a command could choose the form of its output.
    private static func leave(_ failure: CommandFailure, _ words: [String]) -> Never {
        if words.contains("--json") {
            _ = Terminal.errors.write(failure.json.text + "\n")
            exit(failure.status.rawValue)
        }
        _ = Terminal.errors.write(
            Invocation.mistake(failure.message) + "\n" + (failure.hint.map { "       \($0)\n" } ?? "")
        )
        exit(failure.status.rawValue)
    }

    /// Prints an error's text and ends with its status: help on standard output, mistakes on standard error.
    private static func leave(_ error: any Error, _ words: [String]) -> Never {
        // The failure was printed. The parser would prepare a text for it all the same, which takes time.
        if let status = error as? ExitCode { exit(status.rawValue) }
        let code = FerryCommand.exitCode(for: error).rawValue
        let message = FerryCommand.fullMessage(for: error)
        let text = Invocation.redacted(code == 0 ? message : Invocation.explained(message, words), words)
        if code == 0 {
            let error = Terminal.output.write(Invocation.withOwnOptionsFirst(text) + "\n")
            if let failure = Console.failure(ofOutput: error) { leave(failure, words) }
        } else if words.contains("--json") {
            leave(Invocation.failure(text), words)
        } else {
            _ = Terminal.errors.write(Invocation.mistake(text) + "\n")
        }
        exit(code)
    }
}
