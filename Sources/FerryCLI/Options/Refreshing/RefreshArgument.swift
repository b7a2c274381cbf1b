import ArgumentParser
import Ferry

/// The source of a fresh URL when one has expired.
struct RefreshArgument: ParsableArguments {
    @Option(
        name: .customLong("refresh-command"),
        help: ArgumentHelp(
            "Run this shell command when a signed URL has expired or will expire soon; it must print a fresh URL.",
            discussion: "The command gets the transfer's ID in FERRY_ID and the old URL in FERRY_URL.",
            valueName: "command"
        )
    )
    var command: String?

    /// Gives a fresh URL.
    typealias Refresher = @Sendable (TransferID, HTTPURL) async throws -> HTTPURL

    /// The refresher for the engine; `nil` if no command was given.
    var refresher: Refresher? { Self.refresher(command) }

    /// The refresher that runs a shell command; `nil` for none.
    static func refresher(_ command: String?) -> Refresher? {
        guard let command else { return nil }
        return { id, url in try await RefreshCommand(line: command).freshURL(for: id, instead: url) }
    }
}
