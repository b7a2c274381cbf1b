import ArgumentParser
import Ferry

/// `ferry verify`: holds finished files against their digests once more.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Hold finished files against their digests once more; status 32 when one differs."
    )

    @Argument(
        help: ArgumentHelp(
            "The numbers of completed transfers, or the paths of their files.",
            valueName: "id|file"
        )
    )
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "The digest to hold them against, such as sha256=HEX; else the one that each was given.",
            valueName: "digest"
        )
    )
    var checksum: String?

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global) { session in
            var options = DownloadOptions()
            try options.apply(checksum: checksum)
            let expected = options.checksum
            return try await session.withEngine { engine in
                let ids = try await resolve(in: engine, session.environment)
                return await session.each(ids) { id in
                    let verification = try await engine.verify(id, against: expected)
                    tell(verification, session.console)
                    if let failure = verification.failure { throw failure }
                }
            }
        }
    }

    /// The numbers as they are; for a path, that of the latest transfer that was saved there.
    private func resolve(
        in engine: TransferEngine,
        _ environment: ProcessEnvironment
    ) async throws -> [TransferID] {
        var places: [String: TransferID] = [:]
        let paths = files.filter { TransferID($0) == nil }.map { absolute($0, environment) }
        if !paths.isEmpty {
            let wanted = Set(paths)
            try await engine.forEachTransfer(.state("completed")) { transfer in
                if let path = transfer.finalPath, wanted.contains(path) { places[path] = transfer.id }
                return true
            }
        }
        return try files.map { file in
            if let id = TransferID(file) { return id }
            guard let id = places[absolute(file, environment)] else {
                throw CommandFailure(
                    .other,
                    code: "noSuchTransfer",
                    "No completed transfer was saved as \(file).",
                    hint: "`ferry list --all` shows what there is."
                )
            }
            return id
        }
    }

    /// The directory is resolved, as it is for `-o`; the file's own name is not, as no link is ever published.
    private func absolute(_ path: String, _ environment: ProcessEnvironment) -> String {
        let (directory, name) = FilePath.split(FilePath.expandingTilde(path, home: environment.home))
        let resolved = FilePath.absolute(directory, in: environment.workingDirectory)
        return resolved.hasSuffix("/") ? resolved + name : "\(resolved)/\(name)"
    }

    private func tell(_ verification: Verification, _ console: Console) {
        if console.appearance.json {
            console.data(
                .object([
                    "id": .int(verification.transfer.rawValue), "path": .string(verification.path),
                    "algorithm": .string(verification.expected.algorithm.rawValue),
                    "expected": .string(verification.expected.hex), "found": .string(verification.found.hex),
                    "isRight": .bool(verification.isRight),
                ])
            )
        } else if verification.isRight {
            let algorithm = verification.expected.algorithm.rawValue
            console.data("\(verification.path): right, \(algorithm) \(verification.found.hex)")
        }
    }
}
