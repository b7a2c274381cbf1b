extension CommandFailure {
    /// A command that downloads has nothing to download.
    package static let nothingToDownload = missingURL(
        "No URL given.",
        hint: "Give a URL, a list with -i, or a --metalink."
    )
    /// A request has no URL.
    package static let nothingToSend = missingURL(
        "`ferry send` needs a method and a URL.",
        hint: "Such as `ferry send POST https://example.org/orders`."
    )
    /// An upload has no URL.
    package static let nothingToUpload = missingURL(
        "`ferry put` needs a file and a URL.",
        hint: "Such as `ferry put report.pdf https://example.org/files/`."
    )

    private static func missingURL(_ message: String, hint: String) -> CommandFailure {
        var failure = usage(message, hint: hint)
        failure.usageFault = .missingURL
        return failure
    }
}
