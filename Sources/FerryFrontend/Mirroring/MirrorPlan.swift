package import Ferry
import Glibc

/// What is to be mirrored and how, as texts that are not checked yet. ``MirrorPlan`` reads and checks them.
package struct MirrorInput: Sendable {
    /// The source.
    package var source = ""
    /// The directory to copy it to.
    package var directory = ""
    /// Patterns of files to mirror.
    package var include: [String] = []
    /// Patterns of files not to mirror.
    package var exclude: [String] = []
    /// Whether files that the source no longer has are removed.
    package var deletes = false
    /// Whether nothing is changed.
    package var isDryRun = false
    /// How long to wait before the source is read again.
    package var watch: String?
    /// Whether files that were changed here, or that the mirror did not place, are replaced.
    package var overwrites = false
    /// Whether the digests of files that are here already are compared with the listed ones.
    package var comparesDigests = false
    /// How each file is downloaded.
    package var download = DownloadInput()

    package init() {}
}

/// What is mirrored, and how.
package struct MirrorPlan: Sendable {
    /// The source.
    package let source: MirrorSource
    /// The directory.
    let folder: MirrorFolder
    /// The files that are mirrored.
    let filter: PathFilter
    /// Whether files that the source no longer has are removed.
    package let deletes: Bool
    /// Whether nothing is changed.
    package let isDryRun: Bool
    /// Whether files that were changed here, or that the mirror did not place, are replaced.
    let overwrites: Bool
    /// Whether the digests of files that are here already are compared with the listed ones.
    let comparesDigests: Bool
    /// How long to wait before the source is read again; `nil` if it is read once.
    package let interval: Duration?
    /// Warnings for the user.
    package var warnings: [String] { terms.warnings }
    /// The cookies of the file that the user named; `nil` if none was.
    package var cookieJar: CookieJar? { terms.cookieJar }

    private let terms: DownloadTerms
    /// Maximum number of retries of a request for a listing.
    private let retries: Int

    /// The shortest time between two readings of the source.
    private static let shortestInterval = Duration.seconds(1)

    /// Reads and checks what was typed.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for invalid arguments, and 15 for a file that cannot be read.
    package init(_ input: MirrorInput, _ environment: ProcessEnvironment) throws(CommandFailure) {
        let given = try MirrorSource(parsing: input.source)
        source = given.withoutUserinfo
        filter = try PathFilter(including: input.include, excluding: input.exclude)
        (deletes, isDryRun, overwrites) = (input.deletes, input.isDryRun, input.overwrites)
        comparesDigests = input.comparesDigests
        interval = try input.watch.map { text throws(CommandFailure) in
            let interval = try Seconds.parse(text, withUnit: "--watch", example: "5m")
            guard interval >= Self.shortestInterval else { throw .usage("--watch must be at least 1s.") }
            return interval
        }
        guard !isDryRun || interval == nil else {
            throw .usage("--dry-run and --watch cannot be used together.")
        }
        try input.download.request.checkConflicts()
        try input.download.connection.checkConflicts()
        var download = input.download
        if download.request.user == nil, download.request.bearer == nil {
            // The nodes of the tree keep no secrets, but the options of a transfer do as long as it may run.
            download.request.user = given.userAndPassword
        }
        download.existing = input.overwrites ? .overwrite : .fail
        // A file that the mirror has placed is replaced only if it is still the same.
        download.update = true
        terms = try DownloadTerms(download, environment: environment)
        let isGiven = input.download.connection.retries != nil
        retries = isGiven ? terms.options.retries : WorkTerms.retriesOfListing
        folder = MirrorFolder(root: try Self.root(input.directory, environment))
    }

    /// The absolute path of the directory, which need not be there yet.
    private static func root(
        _ text: String,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> String {
        var path = Substring(FilePath.expandingTilde(text, home: environment.home))
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path = path.dropLast() }
        guard !path.isEmpty else { throw .usage("The directory is an empty text.") }
        let given = String(path)
        let base = environment.workingDirectory
        guard access(given.hasPrefix("/") ? given : "\(base)/\(given)", F_OK) != 0 else {
            return FilePath.absolute(given, in: base)
        }
        // It has the same name before and after it is made.
        return FilePath.absoluteName(given, in: base)
    }

    /// Makes the directory, if it is not there.
    ///
    /// - Returns: whether it was not there.
    package func makeFolder() throws(CommandFailure) -> Bool { try folder.make() }

    /// Removes the directory, if nothing is in it.
    package func removeEmptyFolder() { folder.removeIfEmpty() }

    /// Identifies the mirror: the source and the directory.
    var identity: String { "\(source.identity)\n\(folder.root)" }

    /// The failure if another process has begun to mirror the same source to the same directory.
    var otherProcess: CommandFailure {
        CommandFailure(
            .other,
            code: "otherProcess",
            "Another process mirrors \(source.redacted) to the same directory. This one stopped, and removed nothing more.",
            hint: "When the other process has ended, repeat the command."
        )
    }

    /// A failure to list the source, with what to do about it. A directory that does not exist may be the file of that name.
    package func explained(_ failure: TransferFailure) -> CommandFailure {
        var explained = CommandFailure(failure, transfer: nil)
        explained.hint = Advice.text(failure.remedies, about: Advice.Subject(command: .mirroring))
        guard failure.code == .notFound, case .directory(let url) = source, url.path != "/" else {
            return explained
        }
        let shown = url.redacted
        let file = shown.hasSuffix("/") ? String(shown.dropLast()) : shown
        let hint = "If it is a file, `ferry get \(ShellWord.quoted(file))` fetches it."
        explained.hint = [explained.hint, hint].compactMap { $0 }.joined(separator: " ")
        return explained
    }

    /// The failure if the store's record of the mirror cannot be read.
    var damagedState: CommandFailure {
        CommandFailure(
            .other,
            code: "damagedMirror",
            "What the store knows of the mirror of \(source.redacted) cannot be read. Another version of Ferry may have written it.",
            hint: "Use that version, or mirror to another directory."
        )
    }

    /// The digest that a listed file has according to the source; `nil` if it is not to be compared, or not known.
    func digest(of version: ListedVersion) -> Checksum? {
        guard comparesDigests else { return nil }
        if case .bucket = source { return version.objectChecksum }
        return version.checksum
    }

    /// How a file at a URL is downloaded.
    func options(for url: HTTPURL, _ entry: MirrorEntry) -> DownloadOptions {
        var options = options(for: url)
        guard case .manifest = source else {
            options.listedLength = entry.version.size
            return options
        }
        options.length = entry.version.size
        options.checksum = entry.version.checksum
        options.mirrors = entry.mirrors
        return options
    }

    /// How files at a URL are downloaded. Secrets of the command line go to the source, and to no other server (I7).
    func options(for url: HTTPURL) -> DownloadOptions {
        switch source {
        case .bucket: terms.options(terms.options, for: url)
        case .directory(let source), .manifest(let source):
            terms.options(for: url, keepingSecretsWith: [source.origin])
        }
    }

    /// How the source is listed.
    func exchange() throws(CommandFailure) -> (terms: ExchangeTerms, retries: Int) {
        switch source {
        case .directory(let url), .manifest(let url): return (options(for: url).exchange, retries)
        case .bucket(let prefix):
            let bucket = ObjectPrefix(prefix.store, bucket: prefix.bucket, "")
            do throws(HTTPURL.ParseError) {
                return (options(for: try bucket.bucketURL("")).exchange, retries)
            } catch {
                throw .usage(error.description)
            }
        }
    }
}
