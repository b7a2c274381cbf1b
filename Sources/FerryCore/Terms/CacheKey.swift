/// What an entry of a pool is found by.
public enum CacheKey: Hashable, Sendable {
    /// A URL, without its fragment, its password, and what a signature adds. Credentials and header fields do not count.
    case url(HTTPURL)
    /// The application's own key. It is stored and shown, so it must not be a secret.
    case text(String)

    /// The text that is digested to name the file. The two kinds of keys never have the same text.
    package var identity: String {
        switch self {
        case .url(let url):
            "url\n\(url.withoutFragment.withoutSignature(ignoring: []).withoutPassword.absoluteString)"
        case .text(let text): "key\n\(text)"
        }
    }

    /// What a person is shown, without secrets (I7).
    package var label: String {
        switch self {
        case .url(let url): url.redacted
        case .text(let text): text
        }
    }
}
