import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry verify`: checks files against digests.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check files against their checksums; exit with status 32 if one differs.",
        discussion: """
            The digest of a downloaded file is known if the line of its transfer or the server gave one. With --checksum or \
            --checksum-file, any file can be checked. Without a digest nothing is compared, and the status is 1.
            """
    )

    @Argument(
        help: ArgumentHelp("IDs of completed transfers, or paths of files.", valueName: "id|file")
    )
    var files: [String] = []

    @Option(
        help: ArgumentHelp(
            "Check against this digest, such as sha256=HEX; the default is the one of each transfer.",
            valueName: "digest"
        )
    )
    var checksum: String?

    @Option(
        help: ArgumentHelp(
            "Read the digests from this file or URL, in the format of sha256sum; '-' for standard input.",
            discussion: "Without IDs or paths, check all listed files, as `sha256sum -c` does.",
            valueName: "file"
        ),
        completion: .file()
    )
    var checksumFile: String?

    @Flag(help: "Skip listed files that do not exist.")
    var ignoreMissing = false

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        if checksum != nil, checksumFile != nil {
            throw ValidationError("--checksum and --checksum-file cannot be used together.")
        }
        if files.isEmpty, checksumFile == nil {
            throw ValidationError("Give IDs of transfers or paths of files.")
        }
        if ignoreMissing, checksumFile == nil || !files.isEmpty {
            throw ValidationError("--ignore-missing needs --checksum-file alone, without IDs or paths.")
        }
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            var options = DownloadOptions()
            try options.apply(checksum: checksum)
            let digests = Digests(given: options.checksum, list: try await list(session))
            let targets = try targets(digests, session)
            let paths = targets.compactMap(\.anyPath)
            if paths.count == targets.count {
                return await each(paths, session) { try await verify($0, digests, session) }
            }
            return try await session.withClient(for: .reading) { client in
                await each(targets, session) { try await verify($0, digests, in: client, session) }
            }
        }
    }

    /// The digests that the command line gives.
    private struct Digests {
        var given: Checksum?
        var list: ChecksumList?

        /// The digest of the file with this path; `nil` if none is given.
        func digest(of path: String) throws(CommandFailure) -> Checksum? {
            try list?.checksum(ofFile: path) ?? given
        }
    }

    // MARK: What to verify

    /// The list of digests; `nil` if none is named.
    private func list(_ session: Session) async throws -> ChecksumList? {
        guard let checksumFile else { return nil }
        let source = try DocumentSource(parsing: checksumFile, option: "--checksum-file")
        if let list = try ChecksumList(source, session.environment) { return list }
        return try await fetched(source.url, session)
    }

    /// Fetches the list at a URL, with the proxy and passwords of the environment.
    private func fetched(
        _ url: HTTPURL?,
        _ session: Session
    ) async throws -> ChecksumList? {
        guard let url else { return nil }
        let terms = try DownloadTerms(DownloadInput(), environment: session.environment)
        for warning in terms.warnings { session.console.warning(warning) }
        let options = terms.options(terms.options, for: url)
        let bytes = try await session.withEngine(for: .asking) { engine in
            try await DocumentFetch(engine).document(
                url,
                limit: DocumentFetch.longestList,
                options: options,
                loss: "Nothing was verified."
            )
        }
        return try ChecksumList(parsing: bytes, named: url.redacted)
    }

    /// The files that the command names, or those of the list.
    private func targets(_ digests: Digests, _ session: Session) throws(CommandFailure) -> [FileToVerify] {
        guard files.isEmpty, let list = digests.list else {
            let hasDigest = digests.given != nil || digests.list != nil
            return files.map { FileToVerify(word: $0, hasDigest: hasDigest) }
        }
        if list.unknownCount > 0 {
            session.console.warning(
                "Skipped files whose digests use unknown algorithms: \(list.unknownCount)."
            )
        }
        let names = list.names
        guard !names.isEmpty else {
            throw .usage(
                "The file of checksums names no file.",
                hint: "Name the file: `ferry verify FILE --checksum-file SUMS`."
            )
        }
        guard ignoreMissing else { return names.map { .any($0) } }
        let directory = session.environment.workingDirectory
        let existing = names.filter { FilePath.exists($0, in: directory) }
        guard !existing.isEmpty else {
            throw .cannotOpen("None of the listed files exists.")
        }
        if existing.count < names.count {
            session.console.notice("Skipped files that do not exist: \(names.count - existing.count).")
        }
        return existing.map { .any($0) }
    }

    // MARK: Verifying

    /// Verifies each. A failure is reported, and the others continue.
    ///
    /// - Returns: status 32 if a file differs, and otherwise the status of the first failure.
    private func each<Target>(
        _ targets: [Target],
        _ session: Session,
        _ verify: (Target) async throws -> Void
    ) async -> ExitStatus {
        var status = ExitStatus.done
        for target in targets {
            do {
                try await verify(target)
            } catch {
                let failure = CommandFailure(error)
                session.console.failure(failure)
                if status == .done || failure.status == .checksumMismatch { status = failure.status }
            }
            await session.console.room()
        }
        return status
    }

    private func verify(
        _ target: FileToVerify,
        _ digests: Digests,
        in client: TransferClient,
        _ session: Session
    ) async throws {
        let id: TransferID
        switch target {
        case .any(let path): return try await verify(path, digests, session)
        case .ofTransfer(let number): id = number
        case .saved(let path):
            // Ferry never publishes a link, so the file's own name is not resolved.
            let expanded = FilePath.expandingTilde(path, home: session.environment.home)
            let place = FilePath.absoluteName(expanded, in: session.environment.workingDirectory)
            guard let saved = try await client.completed(at: [place]).first ?? nil else {
                throw Self.withoutDigest(path)
            }
            id = saved.id
        }
        do {
            let path = try await client.snapshot(of: id).finalPath
            let verification = try await client.verify(id, against: try digests.digest(of: path ?? ""))
            tell(id, verification.path, verification.expected, verification.found, session.console)
            if let failure = verification.failure { throw failure }
        } catch {
            throw CommandFailure(error, transfer: id)
        }
    }

    /// Verifies any file.
    private func verify(_ path: String, _ digests: Digests, _ session: Session) async throws {
        guard let expected = try digests.digest(of: path) else { throw Self.withoutDigest(path) }
        let place = try FileToVerify.place(of: path, session.environment)
        let found = try await Checksum.ofFile(at: place, by: expected.algorithm)
        tell(nil, place.path, expected, found, session.console)
        guard found == expected else {
            let flaw = FileFlaw.digest(found, expected: expected)
            throw TransferFailure(.checksumMismatch, flaw.sentence(about: place.path))
        }
    }

    private static func withoutDigest(_ path: String) -> CommandFailure {
        CommandFailure(
            .other,
            code: "noSuchTransfer",
            "No completed transfer was saved as \(QuotedWord(path)), so its digest is not known. Nothing was compared.",
            hint: "Give the digest with --checksum or --checksum-file."
        )
    }

    private func tell(
        _ id: TransferID?,
        _ path: String,
        _ expected: Checksum,
        _ found: Checksum,
        _ console: Console
    ) {
        if console.appearance.json {
            console.data([
                "id": .optional(id?.rawValue), "path": .string(path),
                "algorithm": .string(expected.algorithm.rawValue),
                "expected": .string(expected.hex), "found": .string(found.hex),
                "isRight": .bool(expected == found),
            ])
        } else if expected == found {
            console.data("\(TerminalText.safe(path)): OK")
        }
    }
}
