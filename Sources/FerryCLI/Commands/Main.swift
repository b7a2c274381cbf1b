import ArgumentParser
import CFerryPlatform
import Ferry
import Glibc

/// The entry of the tool.
@main
enum Main {
    static func main() async {
        // Each thread would have an arena of its own, and most of what ten thousand small files need lies in several of
        // them at once.
        ferry_bound_arenas(2)
        occupyStandardStreams()
        // A reader that leaves a pipe is an error of a write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that outgrows `ulimit -f`.
        signal(SIGXFSZ, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            try Invocation.check(CommandLine.arguments)
            try Invocation.checkEncoding(
                ProcessEnvironment.currentWords(),
                variables: ProcessEnvironment.currentEntries()
            )
            var command = try FerryCommand.parseAsRoot(Invocation.arranged(words))
            try ProcessLimits.prepare(toLook: command is any LookingCommand)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            leave(failure)
        } catch let problem as StorageProblem {
            leave(CommandFailure(problem))
        } catch {
            leave(error, words)
        }
    }

    /// Opens `/dev/null` for those of the standard streams that are closed: a file or a socket that got such a
    /// number would be written messages into.
    private static func occupyStandardStreams() {
        var descriptor: Int32
        repeat {
            descriptor = open("/dev/null", O_RDWR)
        } while descriptor >= 0 && descriptor <= STDERR_FILENO
        if descriptor > STDERR_FILENO { close(descriptor) }
    }

    /// Ends with what is known before there is a command that says how it wants to be told.
    private static func leave(_ failure: CommandFailure) -> Never {
        _ = Terminal.errors.write(
            Invocation.mistake(failure.message) + "\n" + (failure.hint.map { "       \($0)\n" } ?? "")
        )
        exit(failure.status.rawValue)
    }

    /// Ends with the status of an error, after its text: help on standard output, mistakes on standard error.
    private static func leave(_ error: any Error, _ words: [String]) -> Never {
        let code = FerryCommand.exitCode(for: error).rawValue
        if !(error is ExitCode) {
            let message = FerryCommand.fullMessage(for: error)
            let text = Invocation.redacted(code == 0 ? message : Invocation.explained(message, words), words)
            if code == 0 {
                _ = Terminal.output.write(text + "\n")
            } else {
                _ = Terminal.errors.write(Invocation.mistake(text) + "\n")
            }
        }
        exit(code)
    }
}
