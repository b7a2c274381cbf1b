import Ferry

extension DownloadOptions {
    /// Applies the file options of a command line.
    mutating func apply(_ arguments: DownloadArguments) throws(CommandFailure) {
        if let existing = arguments.existing { existingFile = existing.policy }
        strictResume = arguments.strictResume
        keepsMismatch = arguments.keepMismatch
        ignoresServerDigests = arguments.ignoreServerDigests
        ignoresServerMirrors = arguments.ignoreServerMirrors
        try ignoreQuery(arguments.ignoreQuery)
        try apply(checksum: arguments.checksum)
        window = try arguments.window.window() ?? .always
        if let text = arguments.onChange {
            guard let policy = ChangePolicy(rawValue: text) else {
                let names = ChangePolicy.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("--on-change must be one of \(names).")
            }
            onChange = policy
        }
        if let count = arguments.connection.connections {
            guard Self.connectionsRange.contains(count) else {
                throw .usage("--connections must be from 1 to \(Self.connectionsRange.upperBound).")
            }
            connections = count
        }
        if let count = arguments.connection.retries { retries = try Self.count(count, "--retries") }
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
    mutating func apply(checksum text: String?) throws(CommandFailure) {
        guard let text else { return }
        do {
            checksum = try Checksum(parsing: text)
        } catch {
            throw .usage("--checksum: \(error)")
        }
    }

    /// Applies the request options of a command line.
    mutating func apply(_ arguments: RequestArguments) throws(CommandFailure) {
        headers = try arguments.header.map { line throws(CommandFailure) in try Self.field(line) }
        if let agent = arguments.userAgent { headers.append(try Self.field("User-Agent: \(agent)")) }
        if let user = arguments.user { credentials = try Self.credentials(of: user) }
        if let token = arguments.bearer {
            guard !token.isEmpty else { throw .usage("--bearer needs a token.") }
            credentials = .bearer(token: token)
        }
        if let count = arguments.maxRedirects { redirectLimit = try Self.count(count, "--max-redirects") }
        allowsDowngrade = arguments.allowDowngrade
    }

    /// Reads the value of `--user`. A missing password is not taken for an empty one.
    static func credentials(of user: String) throws(CommandFailure) -> Credentials {
        guard user.utf8.contains(UInt8(ascii: ":")) else {
            throw .usage(
                "--user lacks the password. Write USER:PASSWORD, or \"USER:\" for an empty password. "
                    + "A password in ~/.netrc is used without --user."
            )
        }
        return Credentials(userAndPassword: user)
    }

    /// Reads a header field.
    static func field(_ line: String) throws(CommandFailure) -> HeaderField {
        do {
            let line = try HeaderLine(forRequests: line)
            return HeaderField(name: "\(line.name)", value: line.value)
        } catch {
            throw .usage(error.description)
        }
    }

    /// Checks a count that must not be negative.
    static func count(_ number: Int, _ option: String) throws(CommandFailure) -> Int {
        guard (0...1_000_000).contains(number) else { throw .usage("\(option) must be from 0 to 1000000.") }
        return number
    }
}
