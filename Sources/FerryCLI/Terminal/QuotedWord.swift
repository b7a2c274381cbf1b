import Ferry

/// A word of the command line as a message may quote it: one that is, or was meant to be, a URL without the secrets that
/// it may carry (I7).
struct QuotedWord: Hashable, Sendable, CustomStringConvertible {
    /// What may be shown.
    let description: String

    /// - Parameter word: the word as it was given; of `--option=value` the value is looked at.
    init(_ word: String) {
        guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else {
            description = Self.redacted(word)
            return
        }
        let value = String(word[word.index(after: sign)...])
        let isSecret = Self.secretOptions.contains(String(word[..<sign]))
        description = String(word[...sign]) + (isSecret ? "…" : Self.redacted(value))
    }

    /// The options whose value is, or may be, a secret.
    static let secretOptions: Set<String> = ["-H", "--header", "-u", "--user", "--bearer", "--proxy-user"]

    private static func redacted(_ text: String) -> String {
        do {
            return try HTTPURL(parsing: text).redacted
        } catch {
            return redacted(unreadable: text[...])
        }
    }

    /// What is no URL may have been meant for one: with a scheme, with a name and a password before a host, or with a
    /// query.
    private static func redacted(unreadable text: Substring) -> String {
        let slashes = text.firstRange(of: "://")
        let scheme = slashes.map { text[..<$0.upperBound] } ?? ""
        var rest = text[scheme.endIndex...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let carriesPassword = authority.contains(":") && rest.prefix { $0 != "?" }.contains("@")
        let query = rest.drop { $0 != "?" }
        let carriesQuery =
            query.contains("=") || (query.count > 1 && rest.contains("/") && authority.contains("."))
        guard slashes != nil || carriesPassword || carriesQuery || rest.contains(parameter) else {
            return String(text)
        }
        // A password may hold what ends an authority.
        let reach = carriesPassword ? rest.prefix { $0 != "?" } : authority
        if let at = reach.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        let path = rest.prefix { !"?#".contains($0) }
        let shown = path.prefix(upTo: path.firstRange(of: parameter)?.lowerBound ?? path.endIndex)
        return scheme + shown + (shown.endIndex < path.endIndex ? ";…" : "")
            + (path.endIndex < rest.endIndex ? "?…" : "")
    }

    /// A parameter of a path, such as `;jsessionid=`.
    private static var parameter: Regex<Substring> { /;[A-Za-z0-9_.%-]+=/ }
}
