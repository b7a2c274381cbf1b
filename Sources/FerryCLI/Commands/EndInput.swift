import FerryFrontend

/// What a command does when a transfer has ended, and when it ends itself, as texts that are not checked yet.
struct EndInput: Hashable, Sendable {
    /// What is printed for each ended transfer.
    var writeOut: String?
    /// The shell command for each completed transfer.
    var onComplete: String?
    /// The shell command for each failed transfer.
    var onFail: String?
    /// Seconds after which the command stops.
    var maxTime: String?

    /// The actions, read and checked.
    func actions(in session: Session) throws(CommandFailure) -> EndActions {
        var actions = EndActions(onComplete: onComplete, onFail: onFail)
        actions.temporaryDirectory = session.environment.temporaryDirectory
        if let maxTime { actions.maxTime = try Seconds.parse(maxTime, option: "--max-time") }
        actions.format = try Self.format(writeOut, session.console)
        return actions
    }

    /// The format of `--write-out`, read and checked; `nil` without one.
    static func format(_ text: String?, _ console: Console) throws(CommandFailure) -> WriteOut? {
        guard let text else { return nil }
        guard !console.appearance.json else {
            throw .usage("--json and --write-out both need standard output.", hint: "Omit one of them.")
        }
        try check(text)
        let format = WriteOut(parsing: text)
        if let warning = format.warning { console.warning(warning) }
        return format
    }

    /// Refuses what is no format: the number of wget's `-w SECONDS`, and curl's `@FILE`.
    static func check(_ format: String) throws(CommandFailure) {
        guard !format.contains("%{") else { return }
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
    }
}
