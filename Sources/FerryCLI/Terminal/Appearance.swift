/// How the tool presents itself, decided once from the flags, the environment and where its output leads.
struct Appearance: Hashable, Sendable {
    /// Whether standard output carries one JSON object a line.
    var json = false
    /// Whether only errors are printed.
    var quiet = false
    /// Whether the engine's log is printed.
    var verbose = false
    /// Whether colours are used on standard error.
    var colour = false
    /// Whether standard error is a terminal on which lines can be drawn anew.
    var live = false

    /// Decides from what is known.
    ///
    /// `NO_COLOR` counts when it is set and not empty (no-color.org); `TERM=dumb` can neither colour nor redraw.
    static func decide(
        json: Bool,
        quiet: Bool,
        verbose: Bool,
        noColour: Bool,
        isTerminal: Bool,
        environment: [String: String]
    ) -> Appearance {
        let canDraw = isTerminal && environment["TERM"] != "dumb" && environment["TERM"]?.isEmpty == false
        let wantsColour = !noColour && environment["NO_COLOR"]?.isEmpty != false
        return Appearance(
            json: json,
            quiet: quiet,
            verbose: verbose,
            colour: canDraw && wantsColour,
            live: canDraw && !quiet && !json
        )
    }
}
