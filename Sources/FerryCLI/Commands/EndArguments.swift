import ArgumentParser
import FerryFrontend

/// What a command does when a transfer has ended, and when it ends itself.
struct EndArguments: ParsableArguments {
    @Option(
        name: [.customShort("w"), .long],
        help: ArgumentHelp(
            "Print this on standard output for each ended transfer, with fields such as %{url} and %{exitcode}.",
            discussion:
                "Fields: \(WriteOut.Field.allCases.map { "%{\($0.rawValue)}" }.joined(separator: ", ")). \\n ends a line.",
            valueName: "format"
        )
    )
    var writeOut: String?

    @Option(
        help: ArgumentHelp(
            "Run this shell command for each completed transfer, with its JSON on standard input.",
            discussion:
                "One at a time; the command ends when the last one has. FERRY_PATH is the path of the file.",
            valueName: "command"
        )
    )
    var onComplete: String?

    @Option(
        help: ArgumentHelp(
            "Run this shell command for each failed transfer, with its JSON on standard input.",
            valueName: "command"
        )
    )
    var onFail: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Stop after N seconds, as with Ctrl-C; what was received is kept.",
            valueName: "seconds"
        )
    )
    var maxTime: String?

    /// Refuses these options beside another one, with which they would have no effect.
    ///
    /// - Parameter other: the other option; `nil` if it was not given.
    func refuse(beside other: String?) throws {
        let options = [
            (writeOut, "--write-out"), (onComplete, "--on-complete"), (onFail, "--on-fail"),
            (maxTime, "--max-time"),
        ]
        guard let other, let given = options.first(where: { $0.0 != nil }) else { return }
        throw ValidationError("\(given.1) and \(other) cannot be used together.")
    }

    /// Refuses a text without a field, which would be printed as it is: wget's `-w SECONDS`, and a file of curl's.
    static func check(_ format: String) throws(CommandFailure) {
        guard !format.isEmpty, !format.contains("%{") else { return }
        if format.hasPrefix("@") {
            throw .usage("--write-out takes no file.", hint: "Give the format itself, such as '%{url}\\n'.")
        }
        let number = format.last?.isLetter == true ? format.dropLast() : format[...]
        if !number.isEmpty, number.allSatisfy({ $0.isNumber || $0 == "." }) {
            throw .usage(
                "-w is --write-out, and \(TerminalText.safe(format)) has no field such as %{url}.",
                hint: "`ferry get --wait \(TerminalText.safe(format))` waits between downloads."
            )
        }
        throw .usage("The format of --write-out has no field, such as %{url}.")
    }

    /// The actions, read and checked.
    func actions(in session: Session) throws(CommandFailure) -> EndActions {
        var actions = EndActions(onComplete: onComplete, onFail: onFail)
        actions.temporaryDirectory = session.environment.temporaryDirectory
        if let maxTime { actions.maxTime = try Seconds.parse(maxTime, option: "--max-time") }
        if let writeOut {
            guard !session.console.appearance.json else {
                throw .usage("--json and --write-out both need standard output.", hint: "Omit one of them.")
            }
            try Self.check(writeOut)
            do {
                actions.format = try WriteOut(parsing: writeOut)
            } catch {
                throw .usage(error.description)
            }
        }
        return actions
    }
}
