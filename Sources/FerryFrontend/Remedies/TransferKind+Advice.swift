package import Ferry

/// How a person asks for another transfer of the same kind.
extension TransferKind {
    /// The sentence that asks for it with other options of its command, which is `command` for a download.
    func repetition(of command: RepeatedCommand, with options: String) -> String {
        switch self {
        case .download: "Repeat the \(command.line) with \(options)."
        case .request: "Send a new request with \(options)."
        case .upload: "Repeat the `ferry put` line with \(options)."
        }
    }

    /// The sentence about an amount of bytes that the next attempt does not move again.
    func keptText(_ amount: String) -> String {
        switch self {
        case .download, .request: "The \(amount) received are kept."
        case .upload: "The server keeps the \(amount) that it has confirmed."
        }
    }

    /// The options that limit the attempts of a transfer, or their time.
    ///
    /// - Parameters:
    ///   - command: the running command, if its line asked for the transfer; `nil` otherwise, as for `ferry resume`.
    ///   - isSharedByLine: whether the same line asks for the same transfer again. That of `ferry send` sends another request.
    package func limits(of id: TransferID, _ command: RepeatedCommand?, isSharedByLine: Bool) -> String {
        switch (self, command) {
        case (.download, .mirroring?): "`ferry mirror --retries N`"
        case (.download, .adding?): "`ferry edit \(id) --retries N`"
        case (.download, let command?): "`ferry \(command.words) --retries N` or `--max-time SECONDS`"
        case (.request, .some) where isSharedByLine, (.upload, .some) where isSharedByLine:
            "`ferry put --retries N`"
        case (.download, nil), (.request, _), (.upload, _): "`ferry edit \(id) --retries N`"
        }
    }

    /// The clause that asks for it in place of a former one.
    var replacement: String {
        switch self {
        case .download: "`ferry get` with its URL and other options"
        case .request: "send a new request"
        case .upload: "`ferry put` with its file and other options"
        }
    }
}
