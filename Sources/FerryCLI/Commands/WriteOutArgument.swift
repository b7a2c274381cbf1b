import ArgumentParser

/// What a command that runs transfers prints for each one that has ended.
struct WriteOutArgument: ParsableArguments {
    @Option(
        name: [.customShort("w"), .long],
        help: ArgumentHelp(
            "Print this on standard output for each ended transfer, with fields such as %{url} and %{exitcode}.",
            discussion:
                "Fields: \(WriteOut.Field.list). \\n ends a line.",
            valueName: "format"
        )
    )
    var writeOut: String?
}
