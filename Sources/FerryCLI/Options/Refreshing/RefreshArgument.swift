import ArgumentParser
import Ferry

/// The source of a fresh URL when one has expired.
struct RefreshArgument: ParsableArguments {
    @Option(
        name: .customLong("refresh-command"),
        help: ArgumentHelp(
            "When a signed URL has expired, run this in a shell; it prints a fresh one.",
            discussion: "FERRY_ID and FERRY_URL tell it the transfer and the old URL.",
            valueName: "command"
        )
    )
    var command: String?

    /// Gives a fresh URL.
    typealias Refresher = @Sendable (TransferID, HTTPURL) async throws -> HTTPURL

    /// The refresher for the engine; `nil` if no command was given.
    var refresher: Refresher? {
        guard let command else { return nil }
        return { id, url in try await RefreshCommand(line: command).freshURL(for: id, instead: url) }
    }
}
