import ArgumentParser
import Ferry
import FerryFrontend
import FerrySealed

/// `ferry seal`: encrypts files.
struct SealCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal",
        abstract: "Encrypt files for their recipients, in the format of age.",
        discussion: """
            FILE becomes FILE.age beside it, and stays as it is. `ferry open` and `age --decrypt` open it.

            EXAMPLES
              ferry seal report.pdf --to age1…
              ferry seal *.jpg --to-file recipients.txt
              tar c photos | ferry seal - --passphrase -o photos.tar.age

            `age-keygen -o key.txt` makes an identity and prints its recipient.
            """
    )

    @Argument(
        help: ArgumentHelp("The files; '-' for standard input.", valueName: "file"),
        completion: .file()
    )
    var files: [String]

    @OptionGroup(title: "Recipients") var recipients: RecipientArguments

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Write to this file; '-' for standard output. Only with one FILE. Default: FILE.age.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Replace existing files.")
    var overwrite = false

    @Option(
        help: ArgumentHelp(
            "Put this file before the data, as a section that can be opened alone. Only with one FILE.",
            valueName: "file"
        ),
        completion: .file()
    )
    var metadata: String?

    @Option(
        help: ArgumentHelp(
            "Put this picture before the data, as a section that can be opened alone. Only with one FILE.",
            valueName: "file"
        ),
        completion: .file()
    )
    var thumbnail: String?

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        let read = files + recipients.toFile + [metadata, thumbnail].compactMap(\.self)
        if read.count(where: { $0 == "-" }) > 1 {
            throw ValidationError(
                "Standard input can be read only once: as a file, a section or the recipients."
            )
        }
        guard files.count > 1 else { return }
        if output != nil { throw ValidationError("-o names one file, and there are \(files.count).") }
        if metadata != nil || thumbnail != nil {
            throw ValidationError("--metadata and --thumbnail need one FILE, and there are \(files.count).")
        }
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            let recipients = try recipients.recipients(session.environment)
            var status = ExitStatus.done
            for file in files {
                do {
                    try await seal(file, to: recipients, session)
                } catch {
                    session.console.report(error, in: &status)
                }
            }
            return status
        }
    }

    private func seal(_ file: String, to recipients: Recipients, _ session: Session) async throws {
        let output = output ?? (file == "-" ? "-" : file + SealedName.ending)
        let place = try SealedName.place(output, session.environment)
        if place == nil, session.console.outputIsTerminal, self.output == nil {
            throw CommandFailure.usage(
                "A sealed file is binary, and standard output is a terminal.",
                hint: "Use -o FILE to save it, or -o - to print it anyway."
            )
        }
        var source = try ClearSource(file, session.environment)
        if metadata != nil || thumbnail != nil {
            try source.addSections(metadata: metadata, thumbnail: thumbnail, session.environment)
        }
        // Each file has keys of its own.
        var random = SystemRandomNumberGenerator()
        let preamble: SealedPreamble
        do throws(KeyProblem) {
            preamble = try SealedPreamble(sealingTo: recipients, using: &random)
        } catch {
            throw CommandFailure.usage("--to: \(error)")
        }
        var length: Int64 = 0
        try await ByteTarget.write(place, replacesExisting: overwrite, session.console) { target in
            length = try await source.seal(preamble) { try await target.write($0) }
        }
        guard let place else { return }
        if session.console.appearance.json {
            session.console.data(["path": .string(place.path), "length": .int(length)])
        }
        let (name, path) = (TerminalText.safe(source.name), TerminalText.safe(place.path))
        session.console.notice("Sealed \(name) as \(path).", keeping: [name, path])
    }
}
