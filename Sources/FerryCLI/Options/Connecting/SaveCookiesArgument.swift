import ArgumentParser

/// The file in which a command saves its cookies.
struct SaveCookiesArgument: ParsableArguments {
    @Option(
        name: [.customLong("save-cookies"), .customLong("cookie-jar")],
        help: ArgumentHelp(
            "Save all cookies in this file (Netscape format) when the command ends, session cookies included.",
            discussion: "If --load-cookies names the same file, it need not exist yet.",
            valueName: "file"
        ),
        completion: .file()
    )
    var path: String?
}
