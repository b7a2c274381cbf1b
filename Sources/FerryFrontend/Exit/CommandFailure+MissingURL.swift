extension CommandFailure {
    /// A command that downloads has nothing to download.
    package static let nothingToDownload = CommandFailure.usage(
        "No URL given.",
        hint: "Give a URL, a list with -i, or a --metalink."
    )
    /// A request has no URL.
    package static let nothingToSend = CommandFailure.usage(
        "`ferry send` needs a method and a URL.",
        hint: "Such as `ferry send POST https://example.org/orders`."
    )
    /// An upload has no URL.
    package static let nothingToUpload = CommandFailure.usage(
        "`ferry put` needs a file and a URL.",
        hint: "Such as `ferry put report.pdf https://example.org/files/`."
    )

    /// The failures of command lines that lack a URL.
    package static let ofMissingURLs: Set<CommandFailure> = [
        nothingToDownload, nothingToSend, nothingToUpload,
    ]
}
