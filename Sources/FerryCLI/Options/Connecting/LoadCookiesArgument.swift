import ArgumentParser

/// The file of the cookies that a command begins with.
struct LoadCookiesArgument: ParsableArguments {
    @Option(
        name: .customLong("load-cookies"),
        help: ArgumentHelp(
            "Send the cookies in this file (Netscape format) to their hosts.",
            discussion: "They also follow redirects, each to the hosts that it is for.",
            valueName: "file"
        ),
        completion: .file()
    )
    var path: String?
}
