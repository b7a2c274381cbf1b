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
        description = String(word[...sign]) + Self.redacted(String(word[word.index(after: sign)...]))
    }

    private static func redacted(_ text: String) -> String {
        do {
            return try HTTPURL(parsing: text).redacted
        } catch {
            return redacted(unreadable: text[...])
        }
    }

    /// What is no URL may have been meant for one: with a scheme, or with a name and a password before a host.
    private static func redacted(unreadable text: Substring) -> String {
        let slashes = text.firstRange(of: "://")
        let scheme = slashes.map { text[..<$0.upperBound] } ?? ""
        var rest = text[scheme.endIndex...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let carriesPassword = authority.contains(":") && rest.prefix { $0 != "?" }.contains("@")
        guard slashes != nil || carriesPassword else { return String(text) }
        // A password may hold what ends an authority.
        let reach = carriesPassword ? rest.prefix { $0 != "?" } : authority
        if let at = reach.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        let shown = rest.prefix { !"?#".contains($0) }
        return scheme + shown + (shown.endIndex < rest.endIndex ? "?…" : "")
    }
}
