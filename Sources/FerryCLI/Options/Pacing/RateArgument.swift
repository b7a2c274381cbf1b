import ArgumentParser
import Ferry
import FerryFrontend

/// The rate limit of everything that a command runs.
struct RateArgument: ParsableArguments {
    @Option(
        name: .customLong("limit-rate"),
        help: ArgumentHelp(
            "Receive up to N bytes per second in this command, such as 500K or 10M; or off.",
            discussion: "A timetable sets the rate by the time of day, such as \"08:00,1M 19:00,off\".",
            valueName: "rate"
        )
    )
    var text: String?

    /// The limit that a text of the command line or of the settings names; off without one.
    static func schedule(_ text: String?) throws(CommandFailure) -> RateSchedule {
        guard let text else { return .off }
        do {
            return try RateSchedule(parsing: text)
        } catch {
            throw .usage("--limit-rate: \(error)")
        }
    }
}
