import ArgumentParser

/// What a command does when a transfer has ended, and when it ends itself.
struct EndArguments: ParsableArguments {
    @OptionGroup var writing: WriteOutArgument

    @Option(
        help: ArgumentHelp(
            "Run this shell command for each completed transfer, with its JSON on standard input.",
            discussion:
                "One command runs at a time; ferry ends after the last one. FERRY_PATH is the path of the file.",
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
            "Stop after N seconds; what was received is kept, and `ferry run` resumes.",
            valueName: "seconds"
        )
    )
    var maxTime: String?

    /// Refuses these options beside another one, with which they would have no effect.
    ///
    /// - Parameter other: the other option; `nil` if it was not given.
    func refuse(beside other: String?) throws {
        let options = [
            (writing.writeOut, "--write-out"), (onComplete, "--on-complete"), (onFail, "--on-fail"),
            (maxTime, "--max-time"),
        ]
        guard let other, let given = options.first(where: { $0.0 != nil }) else { return }
        throw ValidationError("\(given.1) and \(other) cannot be used together.")
    }

    /// What was typed, without the parser.
    var input: EndInput {
        var input = EndInput()
        input.writeOut = writing.writeOut
        (input.onComplete, input.onFail) = (onComplete, onFail)
        input.maxTime = maxTime
        return input
    }
}
