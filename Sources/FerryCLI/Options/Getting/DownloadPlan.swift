import Ferry

/// The downloads of a command line. Everything on this machine is read and checked here, before anything is opened,
/// written or requested from a server. ``complete(_:)`` adds documents from URLs.
struct DownloadPlan: Sendable {
    /// The transfers to add, in the order of the command line: first its URLs, then those of the list, then the files
    /// of the Metalinks.
    var transfers: [PlannedDownload] = []
    /// Warnings for the user.
    var warnings: [String] = []
    /// The files of Metalinks, by the indices of their transfers.
    var told: [Int: ToldFile] = [:]
    /// The Metalinks to fetch.
    var metalinks: [HTTPURL] = []
    /// The source of digests.
    var digests: DigestSource

    /// The terms of all downloads.
    let terms: DownloadTerms

    /// Reads the arguments.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for invalid arguments, and 15 for a file that cannot be read.
    init(_ arguments: DownloadArguments, environment: ProcessEnvironment) throws(CommandFailure) {
        try Self.checkConflicts(arguments)
        terms = try DownloadTerms(arguments, environment: environment)
        if let warning = terms.warning { warnings.append(warning) }
        digests = try DigestSource(arguments, environment)
        try add(arguments.urls, mirrors: arguments.mirror)
        try add(list: arguments.list)
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
        if isComplete { try checkDigests() }
    }

    /// Gives each transfer its own rate limit.
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
        let entries = try Self.entries(of: list, terms.environment)
        transfers.reserveCapacity(transfers.count + entries.count)
        // A list may be long: only the places of earlier entries are kept.
        var lines: [String: (line: Int, index: Int)] = [:]
        for entry in entries {
            var own = terms.options
            own.checksum = entry.checksum ?? own.checksum
            own.window = entry.window ?? own.window
            own.headers += entry.headers.map { .init(name: "\($0.name)", value: $0.value) }
            let base = terms.directory
            let directory =
                entry.directory.map { DownloadTerms.directory($0, in: base, terms.environment) } ?? base
            do throws(CommandFailure) {
                own.mirrors = try Self.mirrors(Array(entry.urls.dropFirst()), of: entry.urls[0])
                let name = entry.output ?? terms.output
                let destination = try Destination(userGiven: name, in: directory, terms.environment)
                var transfer = terms.transfer(entry.urls[0], destination, own)
                if let last = transfers.last { transfer.specification.shareOptions(with: last.specification) }
                if let former = lines[transfer.specification.identity] {
                    // Merged lists repeat lines; an identical entry changes nothing.
                    guard transfers[former.index] == transfer else {
                        throw CommandFailure.usage(
                            "\(entry.urls[0].redacted) has other options on line \(former.line) for the same file."
                        )
                    }
                    warnings.append(
                        "\(Self.listName(list)), line \(entry.line): the same as line \(former.line); skipped."
                    )
                    continue
                }
                lines[transfer.specification.identity] = (entry.line, transfers.count)
                transfers.append(transfer)
            } catch {
                throw .usage(
                    "\(Self.listName(list)), line \(entry.line): \(error.message)",
                    hint: error.hint
                )
            }
        }
    }

    /// Gives each transfer its digest, as far as it is known. The user's digest takes precedence over that of a
    /// Metalink.
    mutating func takeDigests() throws(CommandFailure) {
        for index in transfers.indices {
            let specification = transfers[index].specification
            var checksum = specification.options.checksum
            if checksum == nil, case .list(let list) = digests {
                checksum = try list.checksum(of: specification.url, savedTo: specification.destination)
            }
            // A list that is still to be fetched takes precedence over the document.
            if case .awaited = digests, checksum == nil { continue }
            if let given = checksum, let other = contradiction(of: given, at: index) {
                throw .usage(
                    "The Metalink gives the \(other.algorithm.rawValue) digest \(other.hex) for"
                        + " \(specification.url.redacted), not \(given.hex)."
                )
            }
            let digest = checksum ?? told[index]?.file.checksums.first
            // Unchanged options are shared by many transfers.
            if digest != specification.options.checksum {
                transfers[index].specification.options.checksum = digest
            }
        }
    }

    /// A different digest by the same algorithm in a Metalink.
    private func contradiction(of checksum: Checksum, at index: Int) -> Checksum? {
        told[index]?.file.checksums.first { $0.algorithm == checksum.algorithm && $0 != checksum }
    }

    private static func url(_ text: String) throws(CommandFailure) -> HTTPURL {
        do {
            return try HTTPURL(parsing: text)
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
    private static func mirrors(_ urls: [HTTPURL], of url: HTTPURL) throws(CommandFailure) -> [HTTPURL] {
        guard urls.count <= MirrorLink.most else {
            throw .usage("Up to \(MirrorLink.most) mirrors are allowed, but \(urls.count) are given.")
        }
        var known: Set<HTTPURL> = [url.withoutFragment]
        for mirror in urls where !known.insert(mirror.withoutFragment).inserted {
            throw .usage("Duplicate mirror, or the same as the URL: \(mirror.redacted).")
        }
        return urls.map(\.withoutFragment)
    }

    private static func entries(
        of list: String?,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> [ListFile.Entry] {
        guard let list else { return [] }
        func next(_ stream: FileStream) throws(CommandFailure) -> ArraySlice<UInt8> {
            do {
                return try stream.next()
            } catch {
                throw unreadable(list, error)
            }
        }
        let stream: FileStream
        do {
            stream = try FileStream(FilePath.expandingTilde(list, home: environment.home), from: .stream)
        } catch {
            throw unreadable(list, error)
        }
        // Reads line by line: a list without end is refused at its first bad line.
        var parser = ListFile.Parser()
        while true {
            let part = try next(stream)
            do {
                guard !part.isEmpty else { return try parser.finish().entries }
                try parser.take(part)
            } catch {
                throw .usage(
                    "\(listName(list)), \(error.description)",
                    hint: "Nothing was downloaded or added."
                )
            }
        }
    }

    private static func unreadable(_ list: String, _ problem: FileReader.Problem) -> CommandFailure {
        CommandFailure(
            .cannotOpen,
            code: "cannotOpen",
            "Cannot read \(listName(list)): \(problem.reason)."
        )
    }

    private static func listName(_ list: String?) -> String {
        list == "-" ? "the list on standard input" : list.map { QuotedWord($0).description } ?? "the list"
    }
}
