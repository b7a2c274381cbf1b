extension TransferFailure {
    /// Returns this failure as the end of `transfer`, with `received` bytes. Its hint names a command to type and
    /// says what is kept.
    public func concluding(_ transfer: Transfer, received: Int64) -> TransferFailure {
        var sentences = hint.map { [$0] } ?? []
        if !sentences.contains(where: Self.namesWhatToType) {
            sentences.append(transfer.isStream ? Self.streamStep : (cause ?? code).nextStep)
        }
        let isAnyKept =
            received > 0 && !transfer.isStream && !transfer.work.progress.startsOver
            && (cause ?? code) != .partFileLost
        if isAnyKept, !(sentences + [message]).contains(where: { $0.contains("kept") }) {
            sentences.append("The \(ByteCount(received).formatted) received are kept.")
        }
        var concluded = self
        concluded.hint = sentences.joined(separator: " ")
        return concluded.naming(transfer.id)
    }

    /// Whether a hint contains a command in backticks, or an option, which begins with a hyphen.
    private static func namesWhatToType(_ hint: String) -> Bool {
        hint.contains("`") || hint.contains(" -") || hint.hasPrefix("-")
    }

    /// The hint for a stream: no other process has it, and written bytes cannot be taken back.
    private static let streamStep = "Repeat the `ferry get` line to start over; a stream keeps no bytes."
}

extension TransferFailure.Code {
    /// The command to type when a transfer has ended with this code and nothing more exact is known; `{id}` stands
    /// for its number.
    public var nextStep: String {
        switch self {
        case .notFound, .gone, .forbidden, .refused, .redirectRefused, .tooManyRedirects:
            "`ferry edit {id} --url URL` gives another address, and `ferry retry {id}` tries again."
        case .badResponse:
            "`ferry retry {id}` tries again; `ferry edit {id} --url URL` gives another address first."
        case .notAuthorised:
            "`ferry edit {id} --user NAME:PASSWORD` sets credentials, and `ferry retry {id}` tries again."
        case .urlExpired:
            "`ferry edit {id} --url URL` gives a fresh address, and `ferry retry {id}` tries again."
        case .resourceReplaced, .resourceChanged, .cannotResume:
            "Repeat the `ferry get` line with --on-change restart to take the present version."
        case .checksumMismatch:
            "The file was not saved under its final name; `ferry retry {id}` fetches it again."
        case .destinationExists:
            "Repeat the `ferry get` line with --overwrite to replace it, or with --auto-rename to keep both."
        case .destinationMoved:
            "`ferry retry {id}` fetches it again to the given path."
        case .cannotCreate, .cannotOpen:
            "Fix that, then `ferry retry {id}`; or choose another directory with `ferry get -d DIRECTORY URL`."
        case .diskFull:
            "Free some space, then `ferry retry {id}`."
        case .storageFault:
            "Check the disk, then `ferry retry {id}`; `ferry doctor` checks the store."
        case .partFileLost:
            "Move away the file with the name of the part file, then `ferry retry {id}` starts over."
        case .dependencyFailed, .headFailed:
            "`ferry list --state failed` shows what failed before it; then `ferry retry {id}`."
        case .outcomeUnknown:
            "Find out whether it arrived. If it has not, `ferry remove {id}` and send it again."
        case .streamLost, .streamStopped, .gaveWay:
            "Repeat the `ferry get` line to start over."
        case .internalFault:
            "This is a defect in Ferry: report what `ferry show {id}` prints; `ferry retry {id}` tries again."
        case .proxyFailed:
            "`ferry retry {id}` tries again; repeat the `ferry get` line with --proxy URL to use a proxy."
        case .tlsFailed:
            "Repeat the `ferry get` line with --cacert FILE to trust other certificates; "
                + "`ferry retry {id}` tries again."
        case .attemptsExhausted, .serverOverloaded, .serverError, .nameNotResolved, .connectionRefused,
            .connectionLost, .networkUnreachable, .timeout, .tooSlow:
            "`ferry retry {id}` tries again."
        }
    }
}
