import ArgumentParser
import Ferry
import FerryFrontend

/// The times at which a transfer may run.
struct WindowArgument: ParsableArguments {
    @Option(
        name: .customLong("window"),
        help: ArgumentHelp(
            "Run only at these times of the day, such as 22:00-06:00; or off.",
            discussion: """
                Put days before their times: mon-fri 22:00-06:00, sat,sun 00:00-24:00. Outside its time window, a \
                transfer waits. If the window closes while it runs, it stops, and resumes when the window opens again.
                """,
            valueName: "times"
        )
    )
    var text: String?

    /// The window, read and checked; `nil` if it was not given.
    func window() throws(CommandFailure) -> TimeWindow? {
        try WorkTerms.window(text)
    }
}
