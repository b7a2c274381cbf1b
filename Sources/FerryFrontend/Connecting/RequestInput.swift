/// What is sent to servers, as texts that are not checked yet.
package struct RequestInput: Hashable, Sendable {
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
        if let userAgent, Self.isAcceptList(userAgent) {
            throw .usage(
                "-A sets the User-Agent, as in curl, but this value looks like wget's list of files to accept.",
                hint:
                    "`ferry mirror URL DIRECTORY --include PATTERN` copies the files that match. "
                    + "-H 'User-Agent: TEXT' sends any text."
            )
        }
    }

    /// Whether a text is evidently a list of files to accept, as wget's `-A` takes it: a pattern such as `*.iso`, or several
    /// name extensions such as `jpg,png`. Names of agents have versions after a slash, or are words without a comma.
    private static func isAcceptList(_ text: String) -> Bool {
        guard !text.utf8.contains(where: { "/ \t();".utf8.contains($0) }) else { return false }
        if text.contains("*") || text.contains("?") { return true }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        return parts.count > 1
            && parts.allSatisfy { part in
                let letters = part.hasPrefix(".") ? part.dropFirst() : part
                return (1...5).contains(letters.utf8.count)
                    && letters.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            }
    }
}
