import ArgumentParser

/// The file of the cookies that a command begins with.
struct LoadCookiesArgument: ParsableArguments {
    @Option(
        name: .customLong("load-cookies"),
        help: ArgumentHelp(
            "Send the cookies in this file (Netscape format) to their hosts.",
            discussion: "After a redirect, each cookie is still sent to its own hosts only.",
            valueName: "file"
        ),
        completion: .file()
    )
    var path: String?
}
