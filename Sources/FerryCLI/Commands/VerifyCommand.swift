import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry verify`: checks finished files against their digests again.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check finished files against their checksums again; exit with status 32 if one differs."
    )

    @Argument(
        help: ArgumentHelp(
            "IDs of completed transfers, or paths of their files.",
            valueName: "id|file"
        )
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
            discussion: "Without IDs or paths, check all listed files that Ferry has saved.",
            valueName: "file"
        ),
        completion: .file()
    )
    var checksumFile: String?

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        if checksum != nil, checksumFile != nil {
            throw ValidationError("--checksum and --checksum-file cannot be used together.")
        }
        if files.isEmpty, checksumFile == nil {
            throw ValidationError("Give IDs of transfers or paths of files.")
        }
    }

    func run() async throws {
        try await Session.run(global) { session in
            var options = DownloadOptions()
            try options.apply(checksum: checksum)
            let expected = options.checksum
            let source = try checksumFile.map { text throws(CommandFailure) in
                try DocumentSource(parsing: text, option: "--checksum-file")
            }
            let local = try source.flatMap { source throws(CommandFailure) in
                try ChecksumList(source, session.environment)
            }
            let list: ChecksumList? =
                if let local { local } else { try await fetched(source?.url, session) }
            return try await session.withClient { client in
                let found = try await resolve(list, in: client, session)
                return await session.each(found.ids) { id in
                    var wanted = expected
                    if let list {
                        let path = try await client.snapshot(of: id).finalPath
                        wanted = try list.checksum(ofFile: found.names[id] ?? path ?? "")
                    }
                    let verification = try await client.verify(id, against: wanted)
                    tell(verification, session.console)
                    if let failure = verification.failure { throw failure }
                }
            }
        }
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
        let bytes = try await session.withEngine { engine in
            try await DocumentFetch(engine).document(
                url,
                limit: DocumentFetch.longestList,
                options: options,
                loss: "Nothing was verified."
            )
        }
        return try ChecksumList(parsing: bytes, named: url.redacted)
    }

    /// The transfers whose files are verified, and the paths by which they were named.
    private struct Found {
        var ids: [TransferID] = []
        var names: [TransferID: String] = [:]
    }

    /// The transfers that the command names, or those of the list. A number is an ID; a path means the latest
    /// transfer saved there.
    private func resolve(
        _ list: ChecksumList?,
        in client: TransferClient,
        _ session: Session
    ) async throws -> Found {
        let words = files.isEmpty ? list?.names ?? [] : files
        // In a list, a number is a file name.
        func number(_ word: String) -> TransferID? { files.isEmpty ? nil : TransferID(word) }
        let paths = words.filter { number($0) == nil }.map { absolute($0, session.environment) }
        let places = try await completed(at: Set(paths), in: client)
        var found = Found()
        for word in words {
            if let id = number(word) {
                found.ids.append(id)
            } else if let id = places[absolute(word, session.environment)] {
                found.ids.append(id)
                found.names[id] = word
            } else if !files.isEmpty {
                throw Self.unknown("No completed transfer was saved as \(QuotedWord(word)).")
            }
        }
        guard !found.ids.isEmpty else {
            throw Self.unknown("No completed transfer saved any of the listed files here.")
        }
        if let unknown = list?.unknownCount, files.isEmpty, unknown > 0 {
            session.console.warning(
                "\(unknown) more listed files were not verified: their digests use unknown algorithms."
            )
        }
        if found.ids.count < words.count {
            let rest = words.count - found.ids.count
            session.console.notice("\(rest) more listed files were not saved here by Ferry.")
        }
        return found
    }

    private static func unknown(_ message: String) -> CommandFailure {
        CommandFailure(
            .other,
            code: "noSuchTransfer",
            message,
            hint: "`ferry list --all` shows all transfers."
        )
    }

    /// The latest completed transfer at each of these paths.
    private func completed(
        at paths: Set<String>,
        in client: TransferClient
    ) async throws -> [String: TransferID] {
        let paths = Array(paths)
        var places: [String: TransferID] = [:]
        for (path, transfer) in zip(paths, try await client.completed(at: paths)) {
            places[path] = transfer?.id
        }
        return places
    }

    /// Resolves the directory, as for `-o`, but not the file's own name, because Ferry never publishes a link.
    private func absolute(_ path: String, _ environment: ProcessEnvironment) -> String {
        let (directory, name) = FilePath.split(FilePath.expandingTilde(path, home: environment.home))
        let resolved = FilePath.absolute(directory, in: environment.workingDirectory)
        return resolved.hasSuffix("/") ? resolved + name : "\(resolved)/\(name)"
    }

    private func tell(_ verification: Verification, _ console: Console) {
        if console.appearance.json {
            console.data([
                "id": .int(verification.transfer.rawValue), "path": .string(verification.path),
                "algorithm": .string(verification.expected.algorithm.rawValue),
                "expected": .string(verification.expected.hex), "found": .string(verification.found.hex),
                "isRight": .bool(verification.isRight),
            ])
        } else if verification.isRight {
            console.data("\(verification.path): OK")
        }
    }
}
