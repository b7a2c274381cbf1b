import Ferry

/// A word of the command line as a message may quote it. A URL, or a word that may be meant as one, is quoted without
/// its secrets (I7).
package struct QuotedWord: Hashable, Sendable, CustomStringConvertible {
    /// The text that may be shown.
    package let description: String

    /// - Parameter word: the word as given; for `--option=value` the value is examined.
    package init(_ word: String) {
        guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else {
            description = Self.redacted(word)
            return
        }
        let value = String(word[word.index(after: sign)...])
        let isSecret = Self.secretOptions.contains(String(word[..<sign]))
        description = String(word[...sign]) + (isSecret ? "…" : Self.redacted(value))
    }

    /// Options whose value may be a secret.
    package static let secretOptions =
        credentialOptions + ["--proxy-user", "-d", "--data", "--data-json", "-F", "--form"]

    /// Those whose value is nothing but a credential, or a header field, which may be one.
    package static let credentialOptions = ["-H", "--header", "-u", "--user", "--bearer"]

    private static func redacted(_ text: String) -> String {
        do {
            return try HTTPURL(parsing: text).redacted
        } catch {
            return redacted(unreadable: text[...])
        }
    }

    /// A text that is not a URL may be meant as one: with a scheme, with a name and password before a host, or with a
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
        // A password may contain characters that end an authority.
        let reach = carriesPassword ? rest.prefix { $0 != "?" } : authority
        if let at = reach.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        let path = rest.prefix { !"?#".contains($0) }
        let shown = path.prefix(upTo: path.firstRange(of: parameter)?.lowerBound ?? path.endIndex)
        return scheme + shown + (shown.endIndex < path.endIndex ? ";…" : "")
            + (path.endIndex < rest.endIndex ? "?…" : "")
    }

    /// A path parameter, such as `;jsessionid=`.
    private static var parameter: Regex<Substring> { /;[A-Za-z0-9_.%-]+=/ }
}
