import ArgumentParser
import Ferry
import FerryFrontend
import FerrySealed

/// `ferry open`: decrypts a sealed file.
struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Decrypt a sealed file of ferry or age; exit with status 32 if it was changed.",
        discussion: """
            FILE.age becomes FILE beside it. The file gets its name when all of it is opened and on the disk.

            EXAMPLES
              ferry open report.pdf.age -i key.txt
              ferry open photos.tar.age -o - | tar x
            """
    )

    @Argument(
        help: ArgumentHelp("The sealed file; '-' for standard input.", valueName: "file"),
        completion: .file()
    )
    var file: String

    @OptionGroup(title: "Keys") var keys: IdentityArguments

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Write to this file; '-' for standard output. Default: FILE without .age.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Replace an existing file.")
    var overwrite = false

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        if file == "-", keys.identity.contains("-") {
            throw ValidationError("Standard input can be either the file or the identities.")
        }
        if output == nil, file != "-", SealedName.opened(file) == nil {
            throw ValidationError("The name does not end in .age; use -o to name the opened file.")
        }
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            let output = output ?? (file == "-" ? "-" : SealedName.opened(file) ?? "-")
            let place = try SealedName.place(output, session.environment)
            var source = try SealedSource(file, session.environment)
            let identities = try keys.identities(
                for: source.name,
                needsPassphrase: source.needsPassphrase,
                session.environment
            )
            let key = try source.key(with: identities)
            var length: Int64 = 0
            try await ByteTarget.write(place, replacesExisting: overwrite, session.console) { target in
                try await source.read(key) { try await target.write($0) }
                length = target.count
            }
            if let place {
                if session.console.appearance.json {
                    session.console.data(["path": .string(place.path), "length": .int(length)])
                }
                let (name, path) = (TerminalText.safe(source.name), TerminalText.safe(place.path))
                session.console.notice("Opened \(name) as \(path).", keeping: [name, path])
            }
            return .done
        }
    }
}
