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
            A part is opened without the rest of the file, so FILE must be a file without ASCII armor, and no pipe.

            EXAMPLES
              ferry cat log.age -i key.txt --range -4096
              ferry cat photo.jpg.age -i key.txt --section thumbnail > small.jpg
            """
    )

    @Argument(help: ArgumentHelp("The sealed file; '-' for standard input.", valueName: "file"))
    var file: String

    @OptionGroup(title: "Keys") var keys: IdentityArguments

    @Option(
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
        try await Session.run(global) { session in
            let part = try part
            var source = try SealedSource(file, session.environment)
            let key = try source.key(with: try keys.identities(for: source, session.environment))
            try await ByteTarget.write(nil, replacesExisting: false, session.console) { target in
                guard let part else { return try await source.read(key) { try await target.write($0) } }
                guard let payload = try source.payload(key) else {
                    throw CommandFailure.usage(
                        "A part needs a file without ASCII armor; \(source.name) is a pipe or an armored file.",
                        hint: "Use `ferry open` to open all of it."
                    )
                }
                let range = try await part.range(of: payload, named: source.name)
                try await payload.read(range) { try await target.write($0) }
            }
            return .done
        }
    }

    /// The part that is wanted; `nil` for the whole file.
    private var part: SealedPart? {
        get throws(CommandFailure) {
            if let text = range {
                guard let range = ByteRange(text) else {
                    throw .usage(
                        "--range: \(QuotedWord(text)) is no range of bytes.",
                        hint:
                            "Use 0-1048575 for the first MiB, 1048576- for the rest, -1024 for the last KiB."
                    )
                }
                return .range(range)
            }
            return section.flatMap { Section(rawValue: $0) }.map { .section($0) }
        }
    }
}
