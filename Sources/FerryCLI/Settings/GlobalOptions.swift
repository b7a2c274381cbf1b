import ArgumentParser

/// The options of every command.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep the store in this directory.",
            discussion: "Default: $FERRY_DATA_DIR, $XDG_STATE_HOME/ferry or ~/.local/state/ferry.",
            valueName: "directory"
        ),
        completion: .directory
    )
    var dataDir: String?

    @Option(
        help: ArgumentHelp(
            "Read the settings from this file; `ferry config` shows them.",
            discussion:
                "Default: $FERRY_CONFIG, $XDG_CONFIG_HOME/ferry/config.json or ~/.config/ferry/config.json.",
            valueName: "file"
        ),
        completion: .file()
    )
    var config: String?

    @Flag(help: "Print one JSON object per line on standard output; see /usr/share/doc/ferry/JSON.md.")
    var json = false

    // -s as in curl.
    @Flag(name: [.short, .customShort("s"), .long, .customLong("silent")], help: "Print errors only.")
    var quiet = false

    // Half of curl's -sS, which people type with every command.
    @Flag(
        name: [.customShort("S"), .long],
        help: ArgumentHelp("Accepted: ferry does so anyway.", visibility: .hidden)
    )
    var showError = false

    @Flag(
        name: [.customShort("v"), .customLong("verbose")],
        help:
            "Print each request and answer on standard error; -vv prints their header fields too, without secrets."
    )
    var verbosity: Int

    @Flag(help: "Use no colours. NO_COLOR in the environment does the same.")
    var noColor = false

    /// Flags that may also come before the command, as may ``ShortOption/areGlobal(_:)``.
    static let flags: Set<String> = [
        "--json", "--quiet", "--silent", "--show-error", "--verbose", "--no-color",
    ]
    /// Options with a value that may also come before the command.
    static let valued: Set<String> = ["--data-dir", "--config"]

    func validate() throws {
        if quiet, verbosity > 0 { throw ValidationError("--quiet and --verbose cannot be used together.") }
    }
}

extension GlobalOptions {
    /// What was typed, without the parser.
    var input: GlobalInput {
        var input = GlobalInput()
        (input.dataDir, input.config) = (dataDir, config)
        (input.json, input.quiet, input.verbosity) = (json, quiet, verbosity)
        input.noColor = noColor
        return input
    }
}
