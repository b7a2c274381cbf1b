import ArgumentParser
import Ferry
import FerryFrontend

/// The deadline of a transfer.
struct DeadlineArgument: ParsableArguments {
    @Option(
        name: .customLong("not-after"),
        help: ArgumentHelp(
            "Start no attempt after this time, such as 2026-01-31T09:00:00Z, or 90m or 1d12h from now.",
            discussion: "If it has not completed by then, it fails.",
            valueName: "time"
        )
    )
    var text: String?

    /// The deadline, read and checked; `nil` if it was not given.
    func moment() throws(CommandFailure) -> Instant? { try WorkTerms.deadline(text) }
}
