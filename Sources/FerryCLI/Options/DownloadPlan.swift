import Ferry

/// What a command line asks to download: everything is read and checked here, before anything is opened, written
/// or asked of a server.
struct DownloadPlan: Sendable {
    /// What is to be added, in the order of the command line: its URLs first, then those of the list.
    private(set) var transfers: [NewTransfer] = []
    /// What the user should know, though it stops nothing.
    private(set) var warnings: [String] = []

    /// Reads the arguments.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for what makes no sense, and 15 for a file that cannot be read.
    init(_ arguments: DownloadArguments, environment: ProcessEnvironment) throws(CommandFailure) {
        try Self.checkConflicts(arguments)
        var options = DownloadOptions()
        try options.apply(arguments)
        try options.apply(arguments.request)
        try options.connection.apply(arguments.connection, environment: environment)
        let routes = try Routes(arguments.connection, environment: environment)
        let passwords =
            arguments.request.ignoresNetrc
            ? NetrcFile() : try NetrcFile(path: arguments.request.netrcFile, environment: environment)
        if let warning = passwords.warning { warnings.append(warning) }
        let list = try arguments.checksumFile.map { path throws(CommandFailure) in
            try ChecksumList(path: path, environment: environment)
        }
        let base = Self.directory(arguments.directory, in: environment.workingDirectory, environment)

        func add(
            _ url: HTTPURL,
            _ destination: Destination,
            _ options: DownloadOptions
        ) throws(CommandFailure) {
            var options = options
            if options.checksum == nil {
                options.checksum = try list?.checksum(of: url, savedTo: destination)
            }
            options.connection.proxy = routes.proxy(for: url)
            options.proxies = routes.proxies
            options.credentials = options.credentials ?? passwords.credentials(for: url, options: options)
            let specification = DownloadSpecification(url: url, destination: destination, options: options)
            transfers.append(NewTransfer(specification, priority: arguments.priority))
        }

        for text in arguments.urls {
            let url = try Self.url(text)
            try add(url, try Self.destination(arguments.output, in: base, environment), options)
        }
        for entry in try Self.entries(of: arguments.list, environment) {
            var own = options
            own.checksum = entry.checksum ?? options.checksum
            own.headers += entry.headers.map { .init(name: "\($0.name)", value: $0.value) }
            let directory = entry.directory.map { Self.directory($0, in: base, environment) } ?? base
            let name = entry.output ?? arguments.output
            do {
                try add(entry.urls[0], try Self.destination(name, in: directory, environment), own)
            } catch {
                throw .usage(
                    "\(Self.listName(arguments.list)), line \(entry.line): \(error.message)",
                    hint: error.hint
                )
            }
            if entry.urls.count > 1 {
                warnings.append("line \(entry.line): only the first of \(entry.urls.count) URLs is used.")
            }
        }
        try checkTogether(arguments)
    }

    /// Gives each transfer a limit of its own.
    mutating func limitEach(to limit: RateLimit) {
        for index in transfers.indices { transfers[index].specification.options.rateLimit = limit }
    }

    // MARK: Conflicts

    private static func checkConflicts(_ arguments: DownloadArguments) throws(CommandFailure) {
        guard !arguments.urls.isEmpty || arguments.list != nil else {
            throw .usage("There is no URL to download.", hint: "Give one, or a list of them with -i.")
        }
        if arguments.request.user != nil, arguments.request.bearer != nil {
            throw .usage("--user and --bearer exclude each other.")
        }
        if arguments.checksum != nil, arguments.checksumFile != nil {
            throw .usage("--checksum and --checksum-file exclude each other.")
        }
        if arguments.checksumFile == "-", arguments.list == "-" {
            throw .usage("Standard input is either the list (-i) or the file of checksums, not both.")
        }
        if arguments.request.netrcFile != nil, arguments.request.ignoresNetrc {
            throw .usage("--netrc-file and --no-netrc exclude each other.")
        }
        if arguments.connection.insecure, arguments.connection.certificateAuthorityFile != nil {
            throw .usage("--insecure and --cacert exclude each other: one verifies nothing.")
        }
        if arguments.connection.lowSpeedTime != nil, arguments.connection.lowSpeedLimit == nil {
            throw .usage(
                "--low-speed-time says how long a speed may stay below --low-speed-limit, which is missing."
            )
        }
        if arguments.output == "-", arguments.existing != nil {
            throw .usage(
                "Standard output is never replaced or renamed; leave --\(arguments.existing?.flagName ?? "") out."
            )
        }
    }

    /// What can be checked only once it is known how many transfers there are.
    private func checkTogether(_ arguments: DownloadArguments) throws(CommandFailure) {
        if transfers.count > 1 {
            if arguments.output != nil {
                throw .usage(
                    "-o names one file, but there are \(transfers.count) URLs.",
                    hint: "Use -d for a directory."
                )
            }
            if arguments.checksum != nil {
                throw .usage(
                    "--checksum is for one file, but there are \(transfers.count) URLs.",
                    hint: "Use --checksum-file, or in a list (-i) a line checksum=sha256=HEX below each URL."
                )
            }
        }
        var seen: [String: Int] = [:]
        for (index, transfer) in transfers.enumerated() {
            if let first = seen.updateValue(index, forKey: transfer.specification.identity) {
                let url = transfers[first].specification.url.redacted
                throw .usage("\(url) is there twice, with the same destination.")
            }
        }
        var named: [Destination: String] = [:]
        for transfer in transfers where arguments.existing != .autoRename {
            let destination = transfer.specification.destination
            guard case .file(_, .some(let name)) = destination else { continue }
            if named.updateValue(name.rawValue, forKey: destination) != nil {
                throw .usage("Two URLs would be saved as \(name.rawValue).", hint: "Give each its own name.")
            }
        }
    }

    // MARK: Pieces

    private static func url(_ text: String) throws(CommandFailure) -> HTTPURL {
        do {
            return try HTTPURL(parsing: text)
        } catch {
            throw .usage(error.description)
        }
    }

    private static func directory(
        _ path: String?,
        in base: String,
        _ environment: ProcessEnvironment
    ) -> String {
        FilePath.absolute(FilePath.expandingTilde(path ?? ".", home: environment.home), in: base)
    }

    /// Where a name given with `-o` or `out=` leads, relative to a directory.
    static func destination(
        _ path: String?,
        in directory: String,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> Destination {
        guard let path else { return .file(directory: directory, name: nil) }
        if path == "-" || path == "/dev/stdout" { return .standardOutput }
        let (parent, name) = FilePath.split(FilePath.expandingTilde(path, home: environment.home))
        guard !name.isEmpty else {
            throw .usage(
                "-o must name a file, but \(path) names a directory.",
                hint: "Use -d for a directory."
            )
        }
        do {
            return .file(
                directory: FilePath.absolute(parent, in: directory),
                name: try FileName(userGiven: name)
            )
        } catch {
            throw .usage(error.description)
        }
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

extension DownloadArguments.ExistingFile {
    /// The flag without its hyphens.
    fileprivate var flagName: String {
        switch self {
        case .overwrite: "overwrite"
        case .noClobber: "no-clobber"
        case .autoRename: "auto-rename"
        }
    }
}
