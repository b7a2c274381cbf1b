import Ferry

/// What holds for every download of a command line: how servers are asked, and where files go.
struct DownloadTerms: Sendable {
    /// The options, before those of a single download.
    let options: DownloadOptions
    /// The directory that files are saved into.
    let directory: String
    /// The name that `-o` gives.
    let output: String?
    /// What belongs to the environment.
    let environment: ProcessEnvironment
    /// What the user should know, though it stops nothing.
    var warning: String? { passwords.warning }

    /// Whether each download must have a digest to be held against.
    let requiresChecksum: Bool
    /// The queue that they stand in.
    let queue: String

    private let priority: Int
    private let after: [TransferID]
    private let tag: TransferTag?
    private let routes: Routes
    private let passwords: NetrcFile

    /// Reads the arguments.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for what makes no sense, and 15 for a file that cannot be read.
    init(_ arguments: DownloadArguments, environment: ProcessEnvironment) throws(CommandFailure) {
        var options = DownloadOptions()
        try options.apply(arguments)
        try options.apply(arguments.request)
        try options.connection.apply(arguments.connection, environment: environment)
        self.options = options
        self.environment = environment
        priority = arguments.priority
        requiresChecksum = arguments.requireChecksum
        queue = arguments.queue?.text ?? NewTransfer.defaultQueue
        after = arguments.after
        tag = arguments.tag
        output = arguments.output
        routes = try Routes(arguments.connection, environment: environment)
        passwords =
            arguments.request.ignoresNetrc
            ? NetrcFile() : try NetrcFile(path: arguments.request.netrcFile, environment: environment)
        directory = Self.directory(arguments.directory, in: environment.workingDirectory, environment)
        _ = try Destination(userGiven: output, in: directory, environment)
    }

    /// A directory given with `-d` or `dir=`.
    static func directory(
        _ path: String?,
        in base: String,
        _ environment: ProcessEnvironment
    ) -> String {
        FilePath.absolute(FilePath.expandingTilde(path ?? ".", home: environment.home), in: base)
    }

    /// Options with what depends on the URL: the proxy, and the passwords of its host.
    func options(_ options: DownloadOptions, for url: HTTPURL) -> DownloadOptions {
        var options = options
        options.connection.proxy = routes.proxy(for: url)
        options.proxies = routes.proxies
        options.credentials = options.credentials ?? passwords.credentials(for: url, options: options)
        return options
    }

    /// The options for a URL that the user may not have named: what is secret in a command line is meant for certain
    /// servers, and goes to no other (I7).
    func options(for url: HTTPURL, keepingSecretsWith origins: Set<Origin>) -> DownloadOptions {
        self.options(origins.contains(url.origin) ? options : options.withoutSecrets, for: url)
    }

    /// A download under these terms.
    func transfer(_ url: HTTPURL, _ destination: Destination, _ options: DownloadOptions) -> PlannedDownload {
        let specification = DownloadSpecification(
            url: url,
            destination: destination,
            options: self.options(options, for: url)
        )
        return PlannedDownload(
            specification: specification,
            queue: queue,
            priority: priority,
            after: after,
            tag: tag
        )
    }
}
