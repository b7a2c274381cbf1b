import ArgumentParser
import Ferry
import FerryFrontend
import FerrySealed

/// `ferry cat`: prints a sealed file, or a part of it, in clear.
struct CatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat",
        abstract: "Print a sealed file, or a part of it, decrypted.",
        discussion: """
            A part is opened without the rest of the file, so FILE must not be a pipe or have ASCII armor. Of a URL, \
            only the needed bytes are fetched.

            EXAMPLES
              ferry cat log.age -i key.txt --range -4096
              ferry cat photo.jpg.age -i key.txt --section thumbnail > small.jpg
              ferry cat https://example.org/photo.jpg.age -i key.txt --section thumbnail > small.jpg
            """
    )

    @Argument(
        help: ArgumentHelp("The sealed file, or its URL; '-' for standard input.", valueName: "file"),
        completion: .file()
    )
    var file: String

    @OptionGroup(title: "Keys") var keys: IdentityArguments

    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Print only these bytes: 0-1048575 for the first MiB, 1048576- for the rest, -1024 for the last KiB.",
            valueName: "range"
        )
    )
    var range: String?

    @Option(
        help: ArgumentHelp(
            "Print only this section: \(Section.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "name"
        )
    )
    var section: String?

    @OptionGroup(title: "Request options") var request: RequestArguments

    @OptionGroup(title: "Request options") var store: ObjectStoreArguments

    @OptionGroup(title: "Connection options") var connection: ConnectionArguments

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        if file == "-", keys.identity.contains("-") {
            throw ValidationError("Standard input can be either the file or the identities.")
        }
        if range != nil, section != nil {
            throw ValidationError("--range and --section cannot be used together.")
        }
        if let section, Section(rawValue: section) == nil {
            let names = Section.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--section must be one of \(names).")
        }
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            let part = try part
            if let url = try Self.url(file) {
                try await session.withEngine { try await printRemote(url, part, by: $0, session) }
            } else {
                try await printLocal(part, session)
            }
            return .done
        }
    }

    /// The URL in the place of a file; `nil` for a path.
    private static func url(_ text: String) throws(CommandFailure) -> HTTPURL? {
        guard text.contains("://") else { return nil }
        do throws(HTTPURL.ParseError) {
            return try HTTPURL(parsing: text)
        } catch {
            throw .usage(error.description)
        }
    }

    private func printLocal(_ part: SealedPart?, _ session: Session) async throws {
        var source = try SealedSource(file, session.environment)
        let key = try source.key(with: identities(source.name, source.needsPassphrase, session))
        try await ByteTarget.write(nil, replacesExisting: false, session.console) { target in
            guard let part else { return try await source.read(key) { try await target.write($0) } }
            guard let payload = try await source.payload(key) else {
                throw CommandFailure.usage(
                    "A part needs a file without ASCII armor; \(source.name) is a pipe or an armored file.",
                    hint: "Use `ferry open` to open all of it."
                )
            }
            try await Self.print(part, of: payload, named: source.name, to: &target)
        }
    }

    private func printRemote(
        _ url: HTTPURL,
        _ part: SealedPart?,
        by engine: TransferEngine,
        _ session: Session
    ) async throws {
        var input = DownloadInput()
        input.request = request.input(store)
        input.connection = connection.input.completed(from: session.settings)
        let terms = try DownloadTerms(input, environment: session.environment)
        let options = terms.options(terms.options, for: url)
        guard try await changes(url, part, by: engine, options, session) != nil else { return }
        // Another version has another header, and perhaps other sections.
        if let failure = try await changes(url, part, by: engine, options, session) { throw failure }
    }

    /// Prints a part of a file at a URL.
    ///
    /// - Returns: the failure if the file has changed before anything was printed.
    private func changes(
        _ url: HTTPURL,
        _ part: SealedPart?,
        by engine: TransferEngine,
        _ options: DownloadOptions,
        _ session: Session
    ) async throws -> TransferFailure? {
        var change: TransferFailure?
        do {
            let source = try await RemoteSealedSource(url, by: engine, options)
            let keys = try identities(source.name, source.needsPassphrase, session)
            let payload = try await source.payload(openedWith: keys)
            try await ByteTarget.write(nil, replacesExisting: false, session.console) { target in
                do {
                    let part = part ?? .range(.from(0, through: nil))
                    try await Self.print(part, of: payload, named: source.name, to: &target)
                } catch let failure as TransferFailure
                    where failure.code == .resourceChanged && target.count == 0
                {
                    change = failure
                }
            }
        } catch let failure as TransferFailure where failure.code == .resourceChanged {
            change = failure
        }
        return change
    }

    private func identities(
        _ name: String,
        _ needsPassphrase: Bool,
        _ session: Session
    ) throws(CommandFailure) -> [Identity] {
        try keys.identities(for: name, needsPassphrase: needsPassphrase, session.environment)
    }

    private static func print(
        _ part: SealedPart,
        of payload: SealedPayload,
        named name: String,
        to target: inout ByteTarget
    ) async throws {
        let range = try await part.range(of: payload, named: name)
        try await payload.read(range) { try await target.write($0) }
    }

    /// The part that is wanted; `nil` for the whole file.
    private var part: SealedPart? {
        get throws(CommandFailure) {
            if let range { return .range(try ByteRange(userGiven: range)) }
            return section.flatMap { Section(rawValue: $0) }.map { .section($0) }
        }
    }
}
