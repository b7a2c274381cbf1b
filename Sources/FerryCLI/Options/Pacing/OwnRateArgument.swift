import ArgumentParser
import Ferry
import FerryFrontend

/// The rate limit of each transfer, in any process.
struct OwnRateArgument: ParsableArguments {
    @Option(
        name: .customLong("limit-rate"),
        help: ArgumentHelp(
            "Receive and send up to N bytes per second for each transfer, in any process; or off.",
            valueName: "rate"
        )
    )
    var text: String?

    /// The limit, read and checked; `nil` if it was not given.
    func limit() throws(CommandFailure) -> RateLimit? { try Self.limit(text) }

    /// As ``limit()``, for a text that may not come from the parser.
    static func limit(_ text: String?) throws(CommandFailure) -> RateLimit? {
        guard let text else { return nil }
        do {
            return try RateLimit(parsing: text)
        } catch {
            let isTimetable = text.contains(",") || text.contains(":")
            throw .usage(
                "--limit-rate: \(error)",
                hint: isTimetable
                    ? "Only `ferry get` and `ferry run` take a timetable; a single transfer has one rate."
                    : nil
            )
        }
    }
}
