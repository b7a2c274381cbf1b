package import Ferry

extension ExchangeTerms {
    /// Applies the request options of a command line.
    ///
    /// - Parameter reading: reads a header field.
    mutating func apply(
        _ input: RequestInput,
        reading: (String) throws(CommandFailure) -> HeaderField = Self.field
    ) throws(CommandFailure) {
        headers = try input.header.map(reading)
        for (name, value) in [("User-Agent", input.userAgent), ("Referer", input.referer)] {
            // As in curl, a field of -H takes the place of the option.
            guard let value, !headers.contains(where: { $0.isNamed(name) }) else { continue }
            headers.append(try Self.field("\(name): \(value)"))
        }
        if let user = input.user { credentials = try Self.credentials(of: user) }
        if let token = input.bearer {
            guard !token.isEmpty else { throw .usage("--bearer needs a token.") }
            credentials = .bearer(token: token)
        }
        if let count = input.maxRedirects { redirectLimit = try WorkTerms.count(count, "--max-redirects") }
        allowsDowngrade = input.allowDowngrade
        store = try input.store.reference
    }

    /// Reads the value of `--user`. A missing password is not taken for an empty one.
    package static func credentials(of user: String) throws(CommandFailure) -> Credentials {
        guard user.utf8.contains(UInt8(ascii: ":")) else {
            throw .usage(
                user.isEmpty
                    ? "--user needs a name."
                    : "--user lacks the password, and there is no terminal to ask for it on.",
                hint: "Write --user NAME:PASSWORD, or NAME: for an empty password. "
                    + "A password in ~/.netrc is used without --user."
            )
        }
        return Credentials(userAndPassword: user)
    }

    /// Reads a header field of a download.
    package static func field(_ line: String) throws(CommandFailure) -> HeaderField {
        try field(line) { () throws(HeaderLine.ParseError) in try HeaderLine(forRequests: line) }
    }

    /// Reads a header field of a request that a person words: it may also have conditions and ranges.
    static func fieldOfRequest(_ line: String) throws(CommandFailure) -> HeaderField {
        try field(line) { () throws(HeaderLine.ParseError) in try HeaderLine(forWholeRequests: line) }
    }

    private static func field(
        _ text: String,
        _ read: () throws(HeaderLine.ParseError) -> HeaderLine
    ) throws(CommandFailure) -> HeaderField {
        do {
            let line = try read()
            return HeaderField(name: "\(line.name)", value: line.value)
        } catch {
            throw .usage(error.description, hint: hint(about: error, in: text))
        }
    }

    /// What to type instead of the forms that only curl has.
    private static func hint(about error: HeaderLine.ParseError, in text: String) -> String? {
        switch error {
        case .missingColon where text.hasPrefix("@"):
            "-H reads no file: give each field with an -H of its own."
        case .missingColon where text.hasSuffix(";"): "Ferry sends no field without a value."
        case .noValue(let name):
            "Write '\(name): VALUE', or leave it out. Ferry sends no empty field, and removes none of its own."
        case .missingColon, .invalidName, .controlCharacter, .ownField, .framing: nil
        }
    }
}
