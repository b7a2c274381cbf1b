import Ferry

/// What is asked to be downloaded and how, as texts that are not checked yet. ``DownloadPlan`` reads and checks them.
///
/// The tool fills it from a command line. Messages name its members as the tool's options.
struct DownloadInput: Sendable {
    /// The URLs.
    var urls: [String] = []
    /// The name to save as; `-` for standard output.
    var output: String?
    /// The directory to save into.
    var directory: String?
    /// A list of further downloads; `-` for standard input.
    var list: String?
    /// Metalinks, as files or URLs.
    var metalink: [String] = []
    /// Further URLs of the only download.
    var mirror: [String] = []
    /// Whether mirrors from servers are not used.
    var ignoreServerMirrors = false
    /// The digest of the only download, as `ALGORITHM=HEX`.
    var checksum: String?
    /// A list of digests, as a file or a URL.
    var checksumFile: String?
    /// Whether each digest is fetched from beside its download.
    var checksumSidecar = false
    /// Whether a download without a digest is refused.
    var requireChecksum = false
    /// Whether a file with a wrong digest is kept under the name of its part file.
    var keepMismatch = false
    /// Whether digests from servers are not used.
    var ignoreServerDigests = false
    /// What happens to an existing file.
    var existing: ExistingFilePolicy?
    /// What happens when the file has changed on the server; the name of a ``ChangePolicy``.
    var onChange: String?
    /// Whether only a strong validator lets a download resume.
    var strictResume = false
    /// Parameters of queries that do not identify the file.
    var ignoreQuery: [String] = []
    /// Higher runs first.
    var priority = 0
    /// The queue; `nil` for the default one.
    var queue: String?
    /// The tag of each download.
    var tag: TransferTag?
    /// The transfers that must complete first.
    var after: [TransferID] = []
    /// The times at which they may run.
    var window: String?
    /// What is sent to servers.
    var request = RequestInput()
    /// How servers are reached.
    var connection = ConnectionInput()
}
