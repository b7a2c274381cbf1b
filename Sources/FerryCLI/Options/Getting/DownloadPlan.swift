import Ferry

/// What a command line asks to download: everything on this machine is read and checked here, before anything is opened,
/// written or asked of a server. What lies elsewhere comes in by ``complete(_:)``.
struct DownloadPlan {
    /// What is named one by one: the URLs of the command line, then the files of the Metalinks.
    var singles: [PlannedDownload] = []
    /// How many of them are URLs of the command line. The downloads of the list come after these.
    private(set) var urlCount = 0
    /// The list of further downloads.
    var list: DownloadList?
    /// What the user should know, though it stops nothing.
    var warnings: [String] { notes + (list?.warnings ?? []) }
    /// What the user should know of what is named one by one.
    var notes: [String] = []
    /// The files of Metalinks, by the places of the singles that they became.
    var told: [Int: ToldFile] = [:]
    /// The Metalinks that are yet to be fetched.
    var metalinks: [HTTPURL] = []
    /// Where digests come from.
    var digests: DigestSource
    /// The rate limit of each download.
    private(set) var limit: RateLimit?
    /// What is known of all downloads, until the plan is complete.
    var census: DownloadCensus?

    /// What holds for all of them.
    let terms: DownloadTerms

    /// Reads the arguments.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for what makes no sense, and 15 for a file that cannot be read.
    init(_ arguments: DownloadArguments, environment: ProcessEnvironment) throws(CommandFailure) {
        try Self.checkConflicts(arguments)
        terms = try DownloadTerms(arguments, environment: environment)
        census = DownloadCensus(mayShareNames: terms.options.existingFile == .autoRename)
        digests = try DigestSource(arguments, environment)
        if let warning = terms.warning { notes.append(warning) }
        try add(arguments.urls, mirrors: arguments.mirror)
        urlCount = singles.count
        if let path = arguments.list {
            list = try DownloadList(path, environment)
            try checkList()
        }
        for text in arguments.metalink {
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

    /// Ends the checks that need all downloads together.
    mutating func finish() throws(CommandFailure) {
        try checkDigests()
        census = nil
    }

    /// Gives each transfer a limit of its own.
    mutating func limitEach(to limit: RateLimit) {
        self.limit = limit
    }

    /// How many downloads there are.
    var count: Int { singles.count + (list?.count ?? 0) }

    /// Every download, in the order of the command line: its URLs first, then those of the list, then the files of the
    /// Metalinks. A long list takes much memory here; see ``downloads()``.
    var transfers: [PlannedDownload] {
        get throws(CommandFailure) {
            var downloads = try downloads()
            return try downloads.next(count)
        }
    }

    // MARK: Pieces

    private mutating func add(_ urls: [String], mirrors: [String]) throws(CommandFailure) {
        for text in urls {
            let url = try Self.url(text)
            var options = terms.options
            let others = try mirrors.map { text throws(CommandFailure) in try Self.url(text) }
            options.mirrors = try Self.mirrors(others, of: url)
            let destination = try Destination(userGiven: terms.output, in: terms.directory, terms.environment)
            add(terms.transfer(url, destination, options))
        }
    }

    /// Adds a download that is named by itself.
    mutating func add(_ download: PlannedDownload) {
        census?.take(download)
        singles.append(download)
    }

    /// Gives each single its digest, as far as it can be known by now: the user's own word counts before that of a Metalink.
    mutating func takeDigests() throws(CommandFailure) {
        for index in singles.indices { singles[index] = try withDigest(singles[index], told: told[index]) }
    }

    /// A download with its digest.
    func withDigest(_ download: PlannedDownload, told: ToldFile? = nil) throws(CommandFailure) -> PlannedDownload {
        let specification = download.specification
        var checksum = specification.options.checksum
        if checksum == nil, case .list(let list) = digests {
            checksum = try list.checksum(of: specification.url, savedTo: specification.destination)
        }
        // A list that is yet to come goes before the document.
        if case .awaited = digests, checksum == nil { return download }
        if let given = checksum, let other = told?.contradiction(of: given) {
            throw .usage(
                "The Metalink tells the \(other.algorithm.rawValue) digest \(other.hex) of"
                    + " \(specification.url.redacted), not \(given.hex)."
            )
        }
        let digest = checksum ?? told?.file.checksums.first
        // Options that stay the same are shared by many.
        guard digest != specification.options.checksum else { return download }
        var digested = download
        digested.specification.options.checksum = digest
        return digested
    }

    private static func url(_ text: String) throws(CommandFailure) -> HTTPURL {
        do {
            return try HTTPURL(parsing: text)
        } catch {
            let ending = text.lowercased()
            if case .missingScheme = error, ending.hasSuffix(".meta4") || ending.hasSuffix(".metalink") {
                throw .usage(
                    "\(TerminalText.safe(text)) is no URL.",
                    hint: "--metalink \(TerminalText.safe(text)) downloads the files that it names."
                )
            }
            throw .usage(error.description)
        }
    }

    /// The mirrors of a URL, each of which must be another one.
    static func mirrors(_ urls: [HTTPURL], of url: HTTPURL) throws(CommandFailure) -> [HTTPURL] {
        guard urls.count <= MirrorLink.most else {
            throw .usage("There may be \(MirrorLink.most) mirrors, but there are \(urls.count).")
        }
        var known: Set<HTTPURL> = [url.withoutFragment]
        for mirror in urls where !known.insert(mirror.withoutFragment).inserted {
            throw .usage("The mirror \(mirror.redacted) is there twice, or is the URL itself.")
        }
        return urls.map(\.withoutFragment)
    }
}
