import ArgumentParser
import FerryFrontend

/// The options for requests to the server.
struct RequestArguments: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("Add a request header; may be repeated.", valueName: "name: value")
    )
    var header: [String] = []

    @Option(
        name: [.customShort("A"), .long],
        help: ArgumentHelp("Set the User-Agent (default ferry/VERSION).", valueName: "text")
    )
    var userAgent: String?

    @Option(
        name: [.customShort("e"), .long],
        help: ArgumentHelp("Send this URL in the field Referer.", valueName: "url")
    )
    var referer: String?

    @Option(
        name: [.customShort("u"), .long],
        help: ArgumentHelp(
            "Send this user and password to the server. With a user alone, Ferry asks for the password.",
            valueName: "user:password"
        )
    )
    var user: String?

    @Option(help: ArgumentHelp("Send this bearer token to the server.", valueName: "token"))
    var bearer: String?

    @Option(
        help: ArgumentHelp("Read passwords from this file or pipe instead of ~/.netrc.", valueName: "file"),
        completion: .file()
    )
    var netrcFile: String?

    @Flag(name: .customLong("no-netrc"), help: "Read no passwords from ~/.netrc.")
    var ignoresNetrc = false

    @Option(
        name: [.long, .customLong("max-redirs")],
        parsing: .unconditional,
        help: ArgumentHelp("Follow up to N redirects (default 20).", valueName: "count")
    )
    var maxRedirects: Int?

    @Flag(help: "Follow a redirect from https to http.")
    var allowDowngrade = false
}

extension RequestArguments {
    /// What was typed, as a plan takes it.
    func input(_ store: ObjectStoreArguments) -> RequestInput {
        var input = RequestInput()
        input.header = header
        (input.userAgent, input.referer) = (userAgent, referer)
        input.user = user
        input.bearer = bearer
        input.netrcFile = netrcFile
        input.ignoresNetrc = ignoresNetrc
        input.maxRedirects = maxRedirects
        input.allowDowngrade = allowDowngrade
        input.store = store.input
        return input
    }
}
