package import Ferry
import FerrySealed

/// The terms of every download of a command line: how to ask servers, and where to save files.
package struct DownloadTerms: Sendable {
    /// The options, without those of single downloads.
    package let options: DownloadOptions
    /// The directory to save files into.
    let directory: String
    /// The value of `-o`, unless that is a directory.
    package let output: String?
    /// The value of `-o` if it stands for the names of several downloads.
    let template: NameTemplate?
    /// Whether directories that are not there are made.
    let createsDirectories: Bool
    /// The process environment.
    let environment: ProcessEnvironment
    /// Warnings for the user.
    package var warnings: [String] { [passwords.warning, codingWarning].compactMap(\.self) }

    /// A warning that a header field `Accept-Encoding` of the user has no effect.
    private var codingWarning: String? {
        let isNamed = options.headers.contains {
            $0.isNamed("Accept-Encoding") && $0.value.lowercased() != "identity"
        }
        guard isNamed else { return nil }
        return "-H Accept-Encoding has no effect: ferry asks for files without a content coding, "
            + "because a compressed answer cannot be resumed. It decodes gzip and deflate, and no other coding."
    }

    /// Whether each download must have a digest.
    let requiresChecksum: Bool
    /// The cookies of the file that the user named; `nil` if none was.
    package var cookieJar: CookieJar? { cookies.jar }

    /// Whether no option depends on the URL: there are no proxies, and no passwords or cookies of hosts.
    var areSameForAllURLs: Bool { routes.proxies == nil && !passwords.isPresent && !cookies.isPresent }

    /// Where each download stands among other transfers.
    private let placement: PlacementInput
    private let routes: Routes
    private let passwords: NetrcFile
    private let cookies: LoadedCookies

    /// Reads the input.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for invalid arguments, and 15 for a file that cannot be read.
    package init(_ input: DownloadInput, environment: ProcessEnvironment) throws(CommandFailure) {
        var options = DownloadOptions()
        try options.apply(input)
        try options.exchange.apply(input.request)
        try options.connection.apply(input.connection, environment: environment)
        options.recipients = try KeyInput.recipients(
            input.sealTo,
            files: input.sealToFiles,
            option: "--seal-to",
            environment
        ).map(\.description)
        guard !options.isSealed || input.output.map({ $0 != "-" && $0 != "/dev/stdout" }) ?? true
        else {
            throw .usage("--seal-to needs a file, and cannot seal standard output.")
        }
        self.options = options
        self.environment = environment
        placement = input.placement
        requiresChecksum = input.requireChecksum
        routes = try Routes(input.connection, environment: environment)
        passwords =
            input.request.ignoresNetrc
            ? NetrcFile() : try NetrcFile(path: input.request.netrcFile, environment: environment)
        cookies = try LoadedCookies(path: input.cookies, environment: environment)
        createsDirectories = input.createsDirectories
        let base = Self.directory(input.directory, in: environment.workingDirectory, environment)
        try Self.checkDirectory(input, at: base)
        let folder = input.output.flatMap { Destination.directory(userGiven: $0, in: base, environment) }
        (directory, output) = (folder ?? base, folder == nil ? input.output : nil)
        template = output.flatMap { NameTemplate($0) }
        _ = try Destination(userGiven: output, in: directory, environment)
    }

    /// Refuses the body of curl's `-d`. It is not quoted, because it may be a secret.
    private static func checkDirectory(_ input: DownloadInput, at path: String) throws(CommandFailure) {
        guard let given = input.directory, !input.createsDirectories else { return }
        let isPath = ["/", "./", "../", "~"].contains { given.hasPrefix($0) }
        let isData = given.hasPrefix("@") || given.hasPrefix("{") || given.contains("=")
        guard isData, !isPath, !FilePath.isDirectory(path) else { return }
        throw .usage(
            "The directory of -d does not exist.",
            hint: "-d is the directory; `ferry send POST URL --data TEXT` sends data."
        )
    }

    /// The path that `-o` gives to the download of a URL, relative to ``directory``.
    ///
    /// - Parameter number: its number among all downloads of the command, from 1.
    func output(for url: HTTPURL, number: Int) -> String? {
        template?.path(for: url, number: number) ?? output
    }

    /// The absolute path of a directory given with `-d` or `dir=`.
    static func directory(
        _ path: String?,
        in base: String,
        _ environment: ProcessEnvironment
    ) -> String {
        FilePath.absolute(FilePath.expandingTilde(path ?? ".", home: environment.home), in: base)
    }

    /// The options with what depends on the URL: the proxy, and the passwords and cookies of its host.
    ///
    /// - Parameter ignoresNetrc: whether no password of a `.netrc` file is sent.
    package func options(
        _ options: DownloadOptions,
        for url: HTTPURL,
        ignoresNetrc: Bool = false
    ) -> DownloadOptions {
        var options = options
        options.connection.proxy = routes.proxy(for: url)
        options.proxies = routes.proxies
        if !ignoresNetrc, options.credentials == nil {
            options.credentials = passwords.credentials(for: url, headers: options.headers)
        }
        if let field = cookies.field(for: url, headers: options.headers) {
            options.headers.append(field)
            options.exchange.hasLoadedCookies = true
        }
        return options
    }

    /// The options for a URL that the user may not have named. Secrets of the command line are for certain servers,
    /// and go to no other (I7).
    func options(for url: HTTPURL, keepingSecretsWith origins: Set<Origin>) -> DownloadOptions {
        self.options(origins.contains(url.origin) ? options : options.withoutSecrets, for: url)
    }

    /// Has a download reach its servers through proxies of its own.
    ///
    /// - Parameter proxies: by the names of the variables that mean the same.
    func route(
        _ download: inout PlannedDownload,
        through proxies: [String: String]
    ) throws(CommandFailure) {
        guard !proxies.isEmpty else { return }
        let routes = try routes.replaced(by: proxies)
        download.specification.options.connection.proxy = routes.proxy(for: download.specification.url)
        download.specification.options.proxies = routes.proxies
    }

    /// Makes a download under these terms.
    ///
    /// - Parameter ignoresNetrc: whether no password of a `.netrc` file is sent.
    func transfer(
        _ url: HTTPURL,
        _ destination: Destination,
        _ options: DownloadOptions,
        ignoresNetrc: Bool = false
    ) -> PlannedDownload {
        let specification = DownloadSpecification(
            url: url,
            destination: destination,
            options: self.options(options, for: url, ignoresNetrc: ignoresNetrc)
        )
        return PlannedDownload(
            specification: specification,
            queue: placement.queue ?? NewTransfer.defaultQueue,
            priority: placement.priority,
            after: placement.after,
            tag: placement.tag,
            namesWindow: placement.namesWindow
        )
    }
}
