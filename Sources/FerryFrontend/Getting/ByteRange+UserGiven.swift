package import Ferry

extension ByteRange {
    /// Reads the value of `--range`.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for anything but one range.
    package init(userGiven text: String) throws(CommandFailure) {
        guard let range = ByteRange(text) else {
            throw .usage(
                "--range: \(QuotedWord(text)) is no range of bytes.",
                hint: "Use 0-1048575 for the first MiB, 1048576- for the rest, -1024 for the last KiB."
            )
        }
        self = range
    }
}
