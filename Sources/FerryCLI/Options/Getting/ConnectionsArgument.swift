import ArgumentParser

/// The maximum number of connections of one download.
struct ConnectionsArgument: ParsableArguments {
    @Option(
        name: [.customShort("x"), .customLong("connections")],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Use up to N connections for a large file, if that is faster (default 8).",
            valueName: "count"
        )
    )
    var most: Int?
}
