/// The options of every command, as they were given.
struct GlobalInput: Hashable, Sendable {
    /// The directory of the store.
    var dataDir: String?
    /// The settings file.
    var config: String?
    /// Whether standard output gets JSON.
    var json = false
    /// Whether only errors are printed.
    var quiet = false
    /// How much of each request and answer is printed: 0 for nothing.
    var verbosity = 0
    /// Whether no colours are used.
    var noColor = false

    /// The appearance of a command.
    func appearance(in variables: [String: String], with settings: Settings) -> Appearance {
        Appearance.decide(
            json: json,
            quiet: quiet,
            verbosity: verbosity,
            noColour: noColor || settings[.color] == "never",
            isTerminal: Terminal.errors.isTerminal,
            environment: variables
        )
    }

    /// The settings, overridden by these options.
    func overriding(_ settings: Settings) -> Settings {
        var settings = settings
        settings.override(.dataDirectory, dataDir, by: "--data-dir")
        if noColor { settings.override(.color, "never", by: "--no-color") }
        return settings
    }
}
