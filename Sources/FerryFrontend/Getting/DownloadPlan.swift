package import Ferry

/// The downloads of a command line. Everything on this machine is read and checked here, before anything is opened,
/// written or requested from a server. ``complete(_:)`` adds documents from URLs.
package struct DownloadPlan {
    /// The downloads outside of the list: the URLs of the command line, then the files of the Metalinks.
    var singles: [PlannedDownload] = []
    /// The number of URLs on the command line. The downloads of the list come after them.
    private(set) var urlCount = 0
    /// The list of further downloads (`-i`).
    var list: DownloadList?
    /// Warnings for the user. ``mirrorNote(for:)`` is another one, for downloads that begin.
    package var warnings: [String] { notes + (list?.warnings ?? []) }
    /// Warnings about anything but the list.
    package var notes: [String] = []
    /// The files of Metalinks, by the indices of their downloads in `singles`.
    var described: [Int: DescribedFile] = [:]
    /// The Metalinks to fetch.
    var metalinks: [HTTPURL] = []
    /// The source of digests.
    var digests: DigestSource
    /// The rate limit of each download.
    private(set) var limit: RateLimit?
    /// The identities and names of all downloads, until the plan is complete.
    var census: DownloadCensus?

    /// The octets of the directories to make below that of the terms.
    var folders: Set<[UInt8]>

    /// The terms of all downloads.
    package let terms: DownloadTerms

    /// Reads the input.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for invalid arguments, and 15 for a file that cannot be read.
    package init(_ input: DownloadInput, environment: ProcessEnvironment) throws(CommandFailure) {
        var input = input
        input.urls = try Self.expanded(input)
        try Self.checkConflicts(input)
        terms = try DownloadTerms(input, environment: environment)
        census = DownloadCensus(terms.options.existingFile)
        digests = try DigestSource(input, environment)
        notes += terms.warnings
        folders = Set(input.folders.values.map { Array($0.utf8) })
        try add(input.urls, in: input.folders, mirrors: input.mirror)
        urlCount = singles.count
        if let path = input.list {
            list = try DownloadList(path, environment)
            try checkList()
        }
        for text in input.metalink {
            let source = try DocumentSource(parsing: text, option: "--metalink")
            if let bytes = try source.read(atMost: Metalink.longest, environment) {
                try add(metalink: bytes, from: source)
            } else if let url = source.url {
                metalinks.append(url)
            }
        }
        try takeDigests()
        try checkTogether()
        if isComplete { try finish() }
    }

    /// Makes the last checks, after which the plan is complete.
    mutating func finish() throws(CommandFailure) {
        try checkDigests()
        if let note = census?.nameNote { notes.append(note) }
        census = nil
    }

    /// Whether an entry of the list names its own directory.
    package var hasDirectories: Bool { list?.hasDirectories == true }

    /// Whether it makes directories that are not there.
    package var makesDirectories: Bool { terms.createsDirectories || !folders.isEmpty }

    /// Gives each transfer its own rate limit.
    package mutating func limitEach(to limit: RateLimit) {
        self.limit = limit
    }

    /// Whether it has several downloads, or could have: a list may have one.
    package var hasSeveral: Bool { list != nil || count > 1 }

    /// The number of downloads.
    package var count: Int { singles.count + (list?.count ?? 0) }

    /// All downloads, in the order of ``downloads()``. Those of a long list take much memory.
    package var transfers: [PlannedDownload] {
        get throws(CommandFailure) {
            var downloads = try downloads()
            return try downloads.next(count)
        }
    }

    // MARK: Pieces

    /// Makes the directories of objects that a pattern has found, and of files in Metalinks, whose names a server chose; and if that
    /// was asked for, those that the user named.
    ///
    /// - Throws: ``CommandFailure`` with status 16 if one cannot be made, or one that a server named is a link.
    package func makeFolders() throws(CommandFailure) {
        if terms.createsDirectories { try makeNamedDirectories() }
        try FolderTree(terms.directory).make(folders.map { String(decoding: $0, as: UTF8.self) }.sorted())
    }

    private func makeNamedDirectories() throws(CommandFailure) {
        // A server chose the names of those below.
        guard folders.isEmpty else { return try FolderTree.make(terms.directory) }
        var downloads = try downloads()
        var latest: [UInt8]?
        while let download = try downloads.next() {
            guard case .file(let directory, _) = download.specification.destination else { continue }
            let octets = Array(directory.utf8)
            guard octets != latest else { continue }
            try FolderTree.make(directory)
            latest = octets
        }
    }

    /// The URLs of a command line, with what their globs stand for. A key of an object has other wildcards.
    private static func expanded(_ input: DownloadInput) throws(CommandFailure) -> [String] {
        guard !input.takesWildcardsLiterally else { return input.urls }
        var urls: [String] = []
        for (place, text) in input.urls.enumerated() {
            guard text.utf8.contains(where: { "{[\\".utf8.contains($0) }), !namesObject(text) else {
                urls.append(text)
                continue
            }
            do throws(URLGlob.Flaw) {
                let glob = try URLGlob(parsing: text)
                guard urls.count + glob.count <= URLGlob.most else { throw .tooMany }
                urls += (0..<glob.count).map { glob[$0] }
            } catch {
                throw .usage(
                    // It is not quoted: nothing tells where a password in it begins and ends.
                    "URL \(place + 1) of the command line: \(error)",
                    hint: error == .tooMany
                        ? "Put them into a list (-i)."
                        : "With --no-glob (-g), brackets and braces in a URL stand for themselves."
                )
            }
        }
        return urls
    }

    private mutating func add(
        _ urls: [String],
        in folders: [[UInt8]: String],
        mirrors: [String]
    ) throws(CommandFailure) {
        for text in urls {
            let url = try Self.url(text)
            var options = terms.options
            if let version = options.exchange.store?.objectVersion {
                guard let store = url.objectName?.store else {
                    throw .usage("--version-id needs the name of an object in s3://, oss:// or gs://.")
                }
                guard store != .gs || DecimalNumber(version.utf8)?.fitting != nil else {
                    throw .usage("--version-id of an object in gs:// is the number of its generation.")
                }
            }
            let others = try mirrors.map { text throws(CommandFailure) in try Self.url(text) }
            options.mirrors = try Self.mirrors(others, of: url)
            let folder = folders[Array(text.utf8)]
            let directory = folder.map { FilePath.absolute($0, in: terms.directory) } ?? terms.directory
            // The store named the folders.
            if folder != nil { options.root = terms.directory }
            let output = terms.output(for: url, number: singles.count + 1)
            let destination = try Destination(userGiven: output, in: directory, terms.environment)
            add(terms.transfer(url, destination, options))
        }
    }

    /// Adds a download that is not from the list.
    mutating func add(_ download: PlannedDownload) {
        census?.take(download)
        singles.append(download)
    }

    /// Gives each download outside of the list its digest, as far as it is known.
    mutating func takeDigests() throws(CommandFailure) {
        for index in singles.indices {
            singles[index] = try withDigest(singles[index], described: described[index])
        }
    }

    /// Gives a download its digest, as far as it is known. The user's digest takes precedence over that of a Metalink.
    func withDigest(
        _ download: PlannedDownload,
        described: DescribedFile? = nil
    ) throws(CommandFailure) -> PlannedDownload {
        let specification = download.specification
        var checksum = specification.options.checksum
        if checksum == nil, case .list(let list) = digests {
            checksum = try list.checksum(of: specification)
        }
        // A list that is still to be fetched takes precedence over the document.
        if case .awaited = digests, checksum == nil { return download }
        if let given = checksum, let other = described?.contradiction(of: given) {
            throw .usage(
                "The Metalink gives the \(other.algorithm.rawValue) digest \(other.hex) for"
                    + " \(specification.url.redacted), not \(given.hex)."
            )
        }
        let digest = checksum ?? described?.file.checksums.first
        // Unchanged options are shared by many transfers.
        guard digest != specification.options.checksum else { return download }
        var digested = download
        digested.specification.options.checksum = digest
        return digested
    }

    /// Whether a word begins with the scheme of an object store.
    private static func namesObject(_ word: String) -> Bool {
        guard let slashes = word.firstRange(of: "://") else { return false }
        return ObjectStore(rawValue: word[..<slashes.lowerBound].lowercased()) != nil
    }

    private static func url(_ text: String) throws(CommandFailure) -> HTTPURL {
        do {
            return try HTTPURL(typed: text)
        } catch {
            let ending = text.lowercased()
            if case .missingScheme = error, ending.hasSuffix(".meta4") || ending.hasSuffix(".metalink") {
                throw .usage(
                    "\(TerminalText.safe(text)) is not a URL.",
                    hint: "--metalink \(TerminalText.safe(text)) downloads its files."
                )
            }
            throw .usage(error.description)
        }
    }

    /// The mirrors of a URL; all must differ from it and from each other.
    static func mirrors(_ urls: [HTTPURL], of url: HTTPURL) throws(CommandFailure) -> [HTTPURL] {
        guard !urls.isEmpty else { return [] }
        guard urls.count <= MirrorLink.most else {
            throw .usage("Up to \(MirrorLink.most) mirrors are allowed, but \(urls.count) are given.")
        }
        var known: Set<HTTPURL> = [url.withoutFragment]
        for mirror in urls where !known.insert(mirror.withoutFragment).inserted {
            throw .usage("Duplicate mirror, or the same as the URL: \(mirror.redacted).")
        }
        return urls.map(\.withoutFragment)
    }
}
