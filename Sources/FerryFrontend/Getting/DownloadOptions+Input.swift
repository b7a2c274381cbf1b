package import Ferry

extension DownloadOptions {
    /// Applies the file options of a command line.
    mutating func apply(_ input: DownloadInput) throws(CommandFailure) {
        if let existing = input.existing { existingFile = existing }
        updates = input.update
        isInOrder = input.first
        if let text = input.range { range = try ByteRange(userGiven: text) }
        strictResume = input.strictResume
        refusesPages = input.strictType
        keepsServerTime = input.remoteTime
        try limitLength(input.maxFilesize)
        try retry(on: input.retryOn)
        keepsMismatch = input.keepMismatch
        ignoresServerDigests = input.ignoreServerDigests
        ignoresServerMirrors = input.ignoreServerMirrors
        try ignoreQuery(input.ignoreQuery)
        try apply(checksum: input.checksum)
        try terms.apply(input.placement)
        if let text = input.onChange {
            guard let policy = ChangePolicy(rawValue: text) else {
                let names = ChangePolicy.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("--on-change must be one of \(names).")
            }
            onChange = policy
        }
        if let count = input.connections {
            guard Self.connectionsRange.contains(count) else {
                throw .usage("--connections must be from 1 to \(Self.connectionsRange.upperBound).")
            }
            connections = count
        }
        if let count = input.connection.retries { retries = try WorkTerms.count(count, "--retries") }
    }

    /// Sets the maximum length of a file.
    private mutating func limitLength(_ size: String?) throws(CommandFailure) {
        guard let size else { return }
        do {
            maximumLength = try ByteCount(parsing: size).bytes
        } catch {
            throw .usage("--max-filesize: \(error.description)")
        }
        guard maximumLength != 0 else { throw .usage("--max-filesize must be at least 1.") }
    }

    /// Sets the statuses that are retried besides the usual ones.
    private mutating func retry(on codes: String?) throws(CommandFailure) {
        guard let codes else { return }
        do {
            retriedStatuses = try StatusList(parsing: codes).statuses
        } catch {
            throw .usage("--retry-on: \(error.description)")
        }
    }

    /// Sets the query parameters that do not identify the file.
    private mutating func ignoreQuery(_ names: [String]) throws(CommandFailure) {
        if let name = names.first(where: { $0.isEmpty || $0.utf8.contains { "?&=#".utf8.contains($0) } }) {
            throw .usage(
                "--ignore-query: \(QuotedWord(name)) is not the name of a parameter, such as `token`."
            )
        }
        ignoredQuery = names
    }

    /// Sets the expected digest.
    package mutating func apply(checksum text: String?) throws(CommandFailure) {
        guard let text else { return }
        do {
            checksum = try Checksum(parsing: text)
        } catch {
            throw .usage("--checksum: \(error)")
        }
    }
}
