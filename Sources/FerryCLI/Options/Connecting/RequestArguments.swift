import ArgumentParser

/// The options for requests to the server.
struct RequestArguments: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("Send this header field, too; may be repeated.", valueName: "name: value")
    )
    var header: [String] = []

    @Option(
        help: ArgumentHelp("Say to the server that this program asks, in place of ferry.", valueName: "text")
    )
    var userAgent: String?

    @Option(help: ArgumentHelp("User and password for the server.", valueName: "user:password"))
    var user: String?

    @Option(help: ArgumentHelp("A bearer token for the server.", valueName: "token"))
    var bearer: String?

    @Option(
        help: ArgumentHelp("Read passwords from this file, or pipe, instead of ~/.netrc.", valueName: "file")
    )
    var netrcFile: String?

    @Flag(name: .customLong("no-netrc"), help: "Read no passwords from ~/.netrc.")
    var ignoresNetrc = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Follow up to N redirects (default 20).", valueName: "count")
    )
    var maxRedirects: Int?

    @Flag(help: "Follow a redirect from https to http.")
    var allowDowngrade = false
}
