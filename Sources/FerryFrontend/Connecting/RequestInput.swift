/// What is sent to servers, as texts that are not checked yet.
package struct RequestInput: Sendable {
    /// Header fields, each as `Name: value`.
    package var header: [String] = []
    /// The name of the user agent.
    package var userAgent: String?
    /// The URL of the page that leads to the file.
    package var referer: String?
    /// User and password, with a colon between them.
    package var user: String?
    /// A bearer token.
    package var bearer: String?
    /// A file of passwords to read instead of `~/.netrc`.
    package var netrcFile: String?
    /// Whether no file of passwords is read.
    package var ignoresNetrc = false
    /// Maximum number of redirects.
    package var maxRedirects: Int?
    /// Whether a redirect may lead from https to http.
    package var allowDowngrade = false

    /// How an object store is reached.
    package var store = ObjectStoreInput()

    package init() {}

    /// Whether a header field of this name is among those typed.
    func names(_ name: String) -> Bool {
        header.contains { $0.prefix { $0 != ":" }.lowercased() == name.lowercased() }
    }

    /// Refuses options that contradict one another.
    func checkConflicts() throws(CommandFailure) {
        if user != nil, bearer != nil { throw .usage("--user and --bearer cannot be used together.") }
        if netrcFile != nil, ignoresNetrc {
            throw .usage("--netrc-file and --no-netrc cannot be used together.")
        }
    }
}
