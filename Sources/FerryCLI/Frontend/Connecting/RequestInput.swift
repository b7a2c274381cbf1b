/// What is sent to servers, as texts that are not checked yet.
struct RequestInput: Sendable {
    /// Header fields, each as `Name: value`.
    var header: [String] = []
    /// The name of the user agent.
    var userAgent: String?
    /// User and password, with a colon between them.
    var user: String?
    /// A bearer token.
    var bearer: String?
    /// A file of passwords to read instead of `~/.netrc`.
    var netrcFile: String?
    /// Whether no file of passwords is read.
    var ignoresNetrc = false
    /// Maximum number of redirects.
    var maxRedirects: Int?
    /// Whether a redirect may lead from https to http.
    var allowDowngrade = false
}
