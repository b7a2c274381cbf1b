/// The appearance of the tool, decided once from the flags, the environment and the kind of its output.
struct Appearance: Hashable, Sendable {
    /// Whether standard output carries one JSON object per line.
    var json = false
    /// Whether only errors are printed.
    var quiet = false
    /// How much of the engine's log is printed: 0 errors only, 1 requests and answers, 2 their header fields too.
    var verbosity = 0
    /// Whether colours are used on standard error.
    var colour = false
    /// Whether standard error is a terminal that can be redrawn.
    var live = false
    /// Whether messages are printed that are no failures.
    var saysNotices: Bool { !quiet && !json }

    /// Decides the appearance.
    ///
    /// `NO_COLOR` counts when it is set and not empty (no-color.org); `TERM=dumb` allows neither colour nor redrawing.
    static func decide(
        json: Bool,
        quiet: Bool,
        verbosity: Int,
        noColour: Bool,
        isTerminal: Bool,
        environment: [String: String]
    ) -> Appearance {
        let canDraw = isTerminal && environment["TERM"] != "dumb" && environment["TERM"]?.isEmpty == false
        let wantsColour = !noColour && environment["NO_COLOR"]?.isEmpty != false
        return Appearance(
            json: json,
            quiet: quiet,
            verbosity: verbosity,
            colour: canDraw && wantsColour,
            live: canDraw && !quiet && !json
        )
    }
}
