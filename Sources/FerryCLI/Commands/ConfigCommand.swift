import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry config`: the settings for all commands, and the source of each.
struct ConfigCommand: StoreReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show settings and where each comes from.",
        discussion: """
            Options override FERRY_ variables of the environment, and variables override the configuration file. \
            Passwords are not shown.
            """
    )

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            let settings = global.input.overriding(session.settings)
            let report = SettingsReport(
                settings,
                dataDirectory: session.dataDirectory,
                file: session.settingsFile,
                isThere: session.settingsFile?.isThere ?? false
            )
            if session.console.appearance.json {
                for line in report.json { session.console.data(line) }
            } else {
                let lines = report.lines(columns: session.console.outputColumns)
                for line in lines { session.console.data(line) }
            }
            return .done
        }
    }
}
