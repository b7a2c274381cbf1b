import Ferry

/// What a command line asks to download: everything is read and checked here, before anything is opened, written
/// or asked of a server.
struct DownloadPlan: Sendable {
    /// What is to be added, in the order of the command line: its URLs first, then those of the list.
    private(set) var transfers: [NewTransfer] = []
    /// What the user should know, though it stops nothing.
    private(set) var warnings: [String] = []

    /// What holds for all of them.
    let terms: DownloadTerms

    /// Reads the arguments.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for what makes no sense, and 15 for a file that cannot be read.
    init(_ arguments: DownloadArguments, environment: ProcessEnvironment) throws(CommandFailure) {
        try Self.checkConflicts(arguments)
        terms = try DownloadTerms(arguments, environment: environment)
        if let warning = terms.warning { warnings.append(warning) }
        let list = try arguments.checksumFile.map { path throws(CommandFailure) in
            try ChecksumList(path: path, environment: environment)
        }
        try add(arguments.urls, mirrors: arguments.mirror)
        try add(list: arguments.list)
        if let list { try takeDigests(from: list) }
        try checkTogether()
    }

    /// Gives each transfer a limit of its own.
    mutating func limitEach(to limit: RateLimit) {
        for index in transfers.indices { transfers[index].specification.options.rateLimit = limit }
    }

    // MARK: Pieces

    private mutating func add(_ urls: [String], mirrors: [String]) throws(CommandFailure) {
        for text in urls {
            let url = try Self.url(text)
            var options = terms.options
            let others = try mirrors.map { text throws(CommandFailure) in try Self.url(text) }
            options.mirrors = try Self.mirrors(others, of: url)
            let destination = try Destination(userGiven: terms.output, in: terms.directory, terms.environment)
            transfers.append(terms.transfer(url, destination, options))
        }
    }

    private mutating func add(list: String?) throws(CommandFailure) {
        for entry in try Self.entries(of: list, terms.environment) {
            var own = terms.options
            own.checksum = entry.checksum ?? own.checksum
            own.headers += entry.headers.map { .init(name: "\($0.name)", value: $0.value) }
            let base = terms.directory
            let directory =
                entry.directory.map { DownloadTerms.directory($0, in: base, terms.environment) } ?? base
            do {
                own.mirrors = try Self.mirrors(Array(entry.urls.dropFirst()), of: entry.urls[0])
                let name = entry.output ?? terms.output
                let destination = try Destination(userGiven: name, in: directory, terms.environment)
                transfers.append(terms.transfer(entry.urls[0], destination, own))
            } catch {
                throw .usage(
                    "\(Self.listName(list)), line \(entry.line): \(error.message)",
                    hint: error.hint
                )
            }
        }
    }

    private mutating func takeDigests(from list: ChecksumList) throws(CommandFailure) {
        for index in transfers.indices where transfers[index].specification.options.checksum == nil {
            let specification = transfers[index].specification
            transfers[index].specification.options.checksum = try list.checksum(
                of: specification.url,
                savedTo: specification.destination
            )
        }
    }

    private static func url(_ text: String) throws(CommandFailure) -> HTTPURL {
        do {
            return try HTTPURL(parsing: text)
        } catch {
            throw .usage(error.description)
        }
    }

    /// The mirrors of a URL, each of which must be another one.
    private static func mirrors(_ urls: [HTTPURL], of url: HTTPURL) throws(CommandFailure) -> [HTTPURL] {
        guard urls.count <= MirrorLink.most else {
            throw .usage("There may be \(MirrorLink.most) mirrors, but there are \(urls.count).")
        }
        var known: Set<HTTPURL> = [url.withoutFragment]
        for mirror in urls where !known.insert(mirror.withoutFragment).inserted {
            throw .usage("The mirror \(mirror.redacted) is there twice, or is the URL itself.")
        }
        return urls.map(\.withoutFragment)
    }

    private static func entries(
        of list: String?,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> [ListFile.Entry] {
        guard let list else { return [] }
        let text: String
        do {
            text = try FileReader.read(FilePath.expandingTilde(list, home: environment.home)).text
        } catch {
            throw CommandFailure(
                .cannotOpen,
                code: "cannotOpen",
                "Cannot read \(listName(list)): \(error.reason)."
            )
        }
        do {
            return try ListFile(parsing: text).entries
        } catch {
            throw .usage("\(listName(list)), \(error.description)", hint: "Nothing was downloaded or added.")
        }
    }

    private static func listName(_ list: String?) -> String {
        list == "-" ? "the list on standard input" : list ?? "the list"
    }
}
