import ArgumentParser
import FerryFrontend
import FerrySealed

/// The recipients of a sealed file.
struct RecipientArguments: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Seal to this recipient, age1…; may be repeated.", valueName: "recipient")
    )
    var to: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Seal to the recipients in this file, one per line, or '-' for standard input; may be repeated.",
            valueName: "file"
        ),
        completion: .file()
    )
    var toFile: [String] = []

    @Flag(help: "Seal with a passphrase, which is asked for on the terminal.")
    var passphrase = false

    func validate() throws {
        if passphrase, !to.isEmpty || !toFile.isEmpty {
            throw ValidationError("--passphrase cannot be used with --to or --to-file: it must be alone.")
        }
        if !passphrase, to.isEmpty, toFile.isEmpty {
            throw ValidationError("Give --to age1…, --to-file FILE or --passphrase.")
        }
    }

    /// The recipients. A passphrase is asked for twice.
    ///
    /// - Throws: ``CommandFailure``.
    func recipients(_ environment: ProcessEnvironment) throws(CommandFailure) -> Recipients {
        guard passphrase else {
            let keys = try KeyInput.recipients(to, files: toFile, environment)
            guard let recipients = Recipients.keys(keys) else { throw .usage("There is no recipient.") }
            return recipients
        }
        guard let chosen = Passphrase(try SecretPrompt.ask("Passphrase")) else {
            throw SecretPrompt.noPassphrase
        }
        let again = try SecretPrompt.ask("Passphrase again")
        guard chosen.isSame(as: again) else {
            throw CommandFailure(
                .notAuthorised,
                code: "passphrasesDiffer",
                "The two passphrases differ. Nothing was done.",
                hint: "Repeat the command."
            )
        }
        return .passphrase(chosen, work: Recipients.usualWork)
    }
}
