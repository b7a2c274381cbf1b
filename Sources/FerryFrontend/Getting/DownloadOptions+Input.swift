package import Ferry

extension DownloadOptions {
    /// Applies the file options of a command line.
    mutating func apply(_ input: DownloadInput) throws(CommandFailure) {
        if let existing = input.existing { existingFile = existing }
        strictResume = input.strictResume
        keepsMismatch = input.keepMismatch
        ignoresServerDigests = input.ignoreServerDigests
        ignoresServerMirrors = input.ignoreServerMirrors
        try ignoreQuery(input.ignoreQuery)
        try apply(checksum: input.checksum)
        window = try Self.window(input.window) ?? .always
        if let text = input.onChange {
            guard let policy = ChangePolicy(rawValue: text) else {
                let names = ChangePolicy.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("--on-change must be one of \(names).")
            }
            onChange = policy
        }
        if let count = input.connection.connections {
            guard Self.connectionsRange.contains(count) else {
                throw .usage("--connections must be from 1 to \(Self.connectionsRange.upperBound).")
            }
            connections = count
        }
        if let count = input.connection.retries { retries = try Self.count(count, "--retries") }
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

    /// Applies the request options of a command line.
    mutating func apply(_ input: RequestInput) throws(CommandFailure) {
        headers = try input.header.map { line throws(CommandFailure) in try Self.field(line) }
        if let agent = input.userAgent { headers.append(try Self.field("User-Agent: \(agent)")) }
        if let user = input.user { credentials = try Self.credentials(of: user) }
        if let token = input.bearer {
            guard !token.isEmpty else { throw .usage("--bearer needs a token.") }
            credentials = .bearer(token: token)
        }
        if let count = input.maxRedirects { redirectLimit = try Self.count(count, "--max-redirects") }
        allowsDowngrade = input.allowDowngrade
    }

    /// Reads the value of `--user`. A missing password is not taken for an empty one.
    package static func credentials(of user: String) throws(CommandFailure) -> Credentials {
        guard user.utf8.contains(UInt8(ascii: ":")) else {
            throw .usage(
                "--user lacks the password. Write USER:PASSWORD, or \"USER:\" for an empty password. "
                    + "A password in ~/.netrc is used without --user."
            )
        }
        return Credentials(userAndPassword: user)
    }

    /// Reads a time window; `nil` if there is none.
    package static func window(_ text: String?) throws(CommandFailure) -> TimeWindow? {
        guard let text else { return nil }
        do {
            return try TimeWindow(parsing: text)
        } catch {
            throw .usage("--window: \(error)")
        }
    }

    /// Reads a header field.
    package static func field(_ line: String) throws(CommandFailure) -> HeaderField {
        do {
            let line = try HeaderLine(forRequests: line)
            return HeaderField(name: "\(line.name)", value: line.value)
        } catch {
            throw .usage(error.description)
        }
    }

    /// Checks a count that must not be negative.
    package static func count(_ number: Int, _ option: String) throws(CommandFailure) -> Int {
        guard (0...1_000_000).contains(number) else { throw .usage("\(option) must be from 0 to 1000000.") }
        return number
    }
}
