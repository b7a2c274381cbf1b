import ArgumentParser
import Ferry
import FerryFrontend

/// The options that say what to download and how; `get` and `add` share them.
struct DownloadArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Download these http:// or https:// URLs, or objects such as s3://bucket/key or 's3://bucket/logs/*'.",
            valueName: "url"
        )
    )
    private var words: [String] = []

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Save as this file or into this directory, or '-' for standard output; relative to -d.",
            discussion:
                "For several downloads it has fields: {n} or {n:03}, {name}, {stem}, {ext} and {host} of the URL.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Option(
        name: [.customShort("d"), .customLong("dir")],
        help: ArgumentHelp("Save into this directory, which must exist.", valueName: "directory"),
        completion: .directory
    )
    var directory: String?

    @Flag(name: .customLong("create-dirs"), help: "Make the directories of -d and -o if they do not exist.")
    var createsDirectories = false

    @Option(
        name: [.customShort("i"), .customLong("input")],
        help: ArgumentHelp(
            "Read URLs from this file, one per line, or '-' for standard input.",
            discussion: """
                URLs with tabs between them are mirrors of the first. Indented lines below a URL are its options: \
                out=, dir=, checksum=, window=, header=, and others that the manual lists.
                """,
            valueName: "list"
        ),
        completion: .file()
    )
    var list: String?

    @Flag(
        name: [.customShort("g"), .customLong("no-glob"), .customLong("globoff")],
        help: ArgumentHelp(
            "Do not expand {a,b} and [1-9] in URLs, or *, ? and [ in the keys of objects.",
            discussion:
                "Without it, one URL can stand for several, as in curl: {a,b}, [1-100], [001-100], [a-z], [0-90:10]."
        )
    )
    var noGlob = false

    @Option(
        help: ArgumentHelp(
            "Download the files of this Metalink (RFC 5854): a file, a URL, or '-' for standard input.",
            discussion: "Each file gets its name, mirrors and digests from the Metalink. May be repeated.",
            valueName: "document"
        ),
        completion: .file()
    )
    var metalink: [String] = []

    @Option(
        help: ArgumentHelp("Use this other URL of the same file too; may be repeated.", valueName: "url")
    )
    var mirror: [String] = []

    @Option(
        help: ArgumentHelp(
            "Download this version of an object (for gs://, this generation number).",
            valueName: "id"
        )
    )
    var versionID: String?

    @Flag(help: "Ignore mirrors named by a server.")
    var ignoreServerMirrors = false

    @Option(
        help: ArgumentHelp(
            "Require this digest, such as sha256=HEX.",
            discussion:
                "It applies until you give another or remove the transfer. Algorithms: \(Checksum.Algorithm.allCases.map(\.shortName).joined(separator: ", ")).",
            valueName: "digest"
        )
    )
    var checksum: String?

    @Option(
        help: ArgumentHelp(
            "Read the digests from this file or URL, in the format of sha256sum; '-' for standard input.",
            valueName: "file"
        ),
        completion: .file()
    )
    var checksumFile: String?

    @Flag(help: "Fetch the digest of each download from URL.sha256, otherwise .sha512, .sha1 or .md5.")
    var checksumSidecar = false

    @Flag(help: "Download nothing unless the digests of all files are known before the start.")
    var requireChecksum = false

    @Flag(help: "Keep a file with a wrong digest under its part file's name.")
    var keepMismatch = false

    @Flag(help: "Ignore digests sent by the server.")
    var ignoreServerDigests = false

    @Flag(help: "What to do if the file already exists (default: fail).")
    var existing: ExistingFile?

    @Flag(
        name: [.customShort("N"), .long, .customLong("timestamping")],
        help: ArgumentHelp(
            "Ask for a complete file again, and replace it if the server has another version.",
            discussion: """
                The file stays until the other version is complete and verified. A file that was changed since it was \
                saved is not replaced without --overwrite.
                """
        )
    )
    var update = false

    @Option(
        help: ArgumentHelp(
            "What to do if the file changes on the server during the download.",
            discussion: """
                automatic (default): start over if the answer looks like a new version, otherwise keep the part file \
                and ask again later. restart: always start over. fail: fail, and keep the part file. keep: keep the \
                part file and ask again later, in case the old version comes back.
                """,
            valueName: "policy"
        )
    )
    var onChange: String?

    @Flag(
        help: "Resume only if a strong ETag or an exact date proves the version; otherwise start over."
    )
    var strictResume = false

    @Flag(
        help: "Refuse a web page if the file name is that of an archive, an image or a disk image."
    )
    var strictType = false

    @Flag(
        name: [.customShort("R"), .long],
        help: "Give the file the server's time (Last-Modified) instead of the time of the download."
    )
    var remoteTime = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Fail with status 63 if a file is longer than this, such as 500K or 10M.",
            discussion: "If the server gives the length, nothing is fetched.",
            valueName: "size"
        )
    )
    var maxFilesize: String?

    @Option(
        name: [.long, .customLong("retry-on-http-error")],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Also retry after these statuses, such as 404,409 or 500-599.",
            discussion: "Statuses that may pass, such as 429 and 503, are retried anyway.",
            valueName: "codes"
        )
    )
    var retryOn: String?

    @Option(
        help: ArgumentHelp(
            "Ignore this parameter of the query when comparing URLs; may be repeated.",
            discussion: """
                URLs that differ only in this parameter are the same download, so a URL with a fresh token resumes it. \
                Signature parameters of S3, CloudFront, GCS, OSS and Azure are always ignored.
                """,
            valueName: "name"
        )
    )
    var ignoreQuery: [String] = []

    @OptionGroup var cookies: LoadCookiesArgument

    @OptionGroup var placement: PlacementArguments
    @OptionGroup var window: WindowArgument
    @OptionGroup var deadline: DeadlineArgument

    @OptionGroup var connections: ConnectionsArgument

    @Option(
        name: [.customShort("r"), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Fetch only these bytes, such as 0-1048575, 1048576-, or -1024 (the last 1024).",
            discussion:
                "The range is a download of its own. It fails if the server does not support ranges."
        )
    )
    var range: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Seal (encrypt) the file for this age recipient (age1…) as it arrives; may be repeated.",
            discussion:
                "The disk never holds the plaintext. Without -o, the name ends with .age; see `ferry open`.",
            valueName: "recipient"
        )
    )
    var sealTo: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Seal the file for the recipients in this file, one per line.", valueName: "file"),
        completion: .file()
    )
    var sealToFile: [String] = []

    @Flag(
        help: ArgumentHelp(
            "Fetch from the front, for a player that reads the part file.",
            discussion: "Uses one connection unless -x says otherwise."
        )
    )
    var first = false

    @OptionGroup var familiar: FamiliarArguments
    @OptionGroup var familiarOfRequests: FamiliarRequestArguments

    /// The URLs.
    var urls: [String] { JoinedWords.separated(words) }

    func validate() throws {
        if let flaw = ownInput.flaw { throw ValidationError(flaw) }
        try familiar.check(urls)
    }

    /// What to do when a file already has the final name.
    enum ExistingFile: String, EnumerableFlag {
        case overwrite, noClobber, autoRename

        static func help(for value: ExistingFile) -> ArgumentHelp? {
            switch value {
            case .overwrite: "Replace a file that already exists."
            case .noClobber: "Fetch nothing if the file already exists."
            case .autoRename: "Use the next free numbered name if the file already exists."
            }
        }

        /// The engine's value.
        var policy: ExistingFilePolicy {
            switch self {
            case .overwrite: .overwrite
            case .noClobber: .noClobber
            case .autoRename: .autoRename
            }
        }
    }
}
