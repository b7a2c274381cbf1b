import ArgumentParser
import Ferry

/// The options that say what to download and how; `get` and `add` share them.
struct DownloadArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("What to download: http:// or https:// addresses.", valueName: "url"))
    var urls: [String] = []

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Save as this file, or '-' for standard output; relative to -d.",
            valueName: "file"
        )
    )
    var output: String?

    @Option(
        name: [.customShort("d"), .customLong("dir")],
        help: ArgumentHelp("Save into this directory, which must exist.", valueName: "directory")
    )
    var directory: String?

    @Option(
        name: [.customShort("i"), .customLong("input")],
        help: ArgumentHelp(
            "Read URLs from this file, one a line, or '-' for standard input.",
            discussion: """
                URLs with tabs between them are mirrors of the first. Indented lines below are options for it: out=, \
                dir=, checksum=, window=, header=.
                """,
            valueName: "list"
        )
    )
    var list: String?

    @Option(
        help: ArgumentHelp(
            "Download the files of this Metalink (RFC 5854), a file or a URL; '-' for standard input.",
            discussion: "Each with its name, its mirrors and its digests. May be repeated.",
            valueName: "document"
        )
    )
    var metalink: [String] = []

    @Option(
        help: ArgumentHelp("Another URL of the same content; may be repeated.", valueName: "url")
    )
    var mirror: [String] = []

    @Flag(help: "Ask only the URLs that were given, and no mirror that a server names.")
    var ignoreServerMirrors = false

    @Option(
        help: ArgumentHelp(
            "The digest that the file must have, such as sha256=HEX.",
            discussion:
                "It holds until another is given or the transfer is removed. Algorithms: \(Checksum.Algorithm.allCases.map(\.shortName).joined(separator: ", ")).",
            valueName: "digest"
        )
    )
    var checksum: String?

    @Option(
        help: ArgumentHelp(
            "A file or URL that lists the digest of each download, as sha256sum does; '-' for standard input.",
            valueName: "file"
        )
    )
    var checksumFile: String?

    @Flag(help: "Take the digest from beside each download: URL.sha256, or else .sha512, .sha1 or .md5.")
    var checksumSidecar = false

    @Flag(help: "Refuse a download for which no digest is given before it starts.")
    var requireChecksum = false

    @Flag(help: "Leave a file that has another digest than it should under its part file's name.")
    var keepMismatch = false

    @Flag(help: "Believe the bytes where the server gives a digest that they do not have.")
    var ignoreServerDigests = false

    @Flag(help: "What to do when the file exists already; without any, that is an error.")
    var existing: ExistingFile?

    @Option(
        help: ArgumentHelp(
            "What to do when the file has changed on the server since a part of it was received.",
            discussion: """
                automatic (unless told otherwise): start over when the answer looks like a new version, else keep \
                what is there and ask again later. restart: start over, whatever the answer looks like. fail: end, \
                and leave what is there. keep: leave what is there and ask again later, in case the former \
                version comes back.
                """,
            valueName: "policy"
        )
    )
    var onChange: String?

    @Flag(help: "Start over rather than resume where the server gives no strong validator.")
    var strictResume = false

    @Option(
        help: ArgumentHelp(
            "Ignore this parameter of the query when comparing URLs; may be repeated.",
            discussion: """
                Two URLs that differ in nothing else are the same download, so a URL with a fresh token resumes it. \
                Parameters of signatures by S3, CloudFront, GCS, OSS and Azure are always ignored.
                """,
            valueName: "name"
        )
    )
    var ignoreQuery: [String] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("Higher runs first.", valueName: "number"))
    var priority = 0

    @Option(
        help: ArgumentHelp(
            "Let it wait for a slot of this queue; `ferry queue` says what holds for each.",
            valueName: "name"
        ),
        transform: QueueName.read
    )
    var queue: QueueName?

    @Option(
        help: ArgumentHelp(
            "Give it this name; `ferry list --tag` finds it. Several may have the same one.",
            valueName: "name"
        ),
        transform: TransferTag.read
    )
    var tag: TransferTag?

    @Option(
        help: ArgumentHelp(
            "Begin only when that transfer is completed; may be repeated.",
            discussion: "If it fails or is cancelled, so do those that come after it.",
            valueName: "id"
        )
    )
    var after: [TransferID] = []

    @OptionGroup var window: WindowArgument

    @OptionGroup(title: "Request options")
    var request: RequestArguments

    @OptionGroup(title: "Connection options")
    var connection: ConnectionArguments

    /// What to do when a file already has the final name.
    enum ExistingFile: String, EnumerableFlag {
        case overwrite, noClobber, autoRename

        static func help(for value: ExistingFile) -> ArgumentHelp? {
            switch value {
            case .overwrite: "Replace a file that exists already."
            case .noClobber: "Fetch nothing when the file exists already."
            case .autoRename: "Take the next free numbered name when the file exists already."
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
