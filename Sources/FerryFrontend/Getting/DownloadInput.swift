package import Ferry

/// What is asked to be downloaded and how, as texts that are not checked yet. ``DownloadPlan`` reads and checks them.
///
/// The tool fills it from a command line. Messages name its members as the tool's options.
package struct DownloadInput: Hashable, Sendable {
    /// The URLs.
    package var urls: [String] = []
    /// The directories of URLs below ``directory``, by the octets of the URL. They are made if they are not there.
    package var folders: [[UInt8]: String] = [:]
    /// Whether globs in URLs, and wildcards in the keys of objects, stand for themselves.
    package var takesWildcardsLiterally = false
    /// The name to save as, or the directory; `-` for standard output.
    package var output: String?
    /// The directory to save into.
    package var directory: String?
    /// Whether directories that the user named are made if they are not there.
    package var createsDirectories = false
    /// A list of further downloads; `-` for standard input.
    package var list: String?
    /// Metalinks, as files or URLs.
    package var metalink: [String] = []
    /// Further URLs of the only download.
    package var mirror: [String] = []
    /// Whether mirrors from servers are not used.
    package var ignoreServerMirrors = false
    /// The digest of the only download, as `ALGORITHM=HEX`.
    package var checksum: String?
    /// A list of digests, as a file or a URL.
    package var checksumFile: String?
    /// Whether each digest is fetched from beside its download.
    package var checksumSidecar = false
    /// Whether a download without a digest is refused.
    package var requireChecksum = false
    /// Whether a file with a wrong digest is kept under the name of its part file.
    package var keepMismatch = false
    /// Whether digests from servers are not used.
    package var ignoreServerDigests = false
    /// What happens to an existing file.
    package var existing: ExistingFilePolicy?
    /// Whether the server is asked for another version of a file that is complete.
    package var update = false
    /// What happens when the file has changed on the server; the name of a ``ChangePolicy``.
    package var onChange: String?
    /// Whether only a strong validator lets a download resume.
    package var strictResume = false
    /// Whether to refuse a web page under the name of something else.
    package var strictType = false
    /// Whether the file gets the server's time.
    package var remoteTime = false
    /// The maximum length of each file, such as `10M`.
    package var maxFilesize: String?
    /// The status codes that are retried besides the usual ones, such as `404,500-599`.
    package var retryOn: String?
    /// Parameters of queries that do not identify the file.
    package var ignoreQuery: [String] = []
    /// A file of cookies in Netscape's format.
    package var cookies: String?
    /// Maximum number of connections for one file.
    package var connections: Int?
    /// The part of each file to fetch, such as `0-1048575`.
    package var range: String?
    /// The recipients of age that the file is sealed to (`age1…`).
    package var sealTo: [String] = []
    /// Files with further recipients.
    package var sealToFiles: [String] = []
    /// Whether the bytes are fetched in order.
    package var first = false
    /// Where each download stands among other transfers.
    package var placement = PlacementInput()
    /// What is sent to servers.
    package var request = RequestInput()
    /// How servers are reached.
    package var connection = ConnectionInput()

    package init() {}
}
