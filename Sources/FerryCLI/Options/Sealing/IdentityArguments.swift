import ArgumentParser
import FerryFrontend
import FerrySealed

/// What opens a sealed file.
struct IdentityArguments: ParsableArguments {
    @Option(
        name: [.customShort("i"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Use the identities in this file, as age-keygen writes it, or '-' for standard input; may be repeated.",
            discussion: "A passphrase is asked for on the terminal.",
            valueName: "file"
        ),
        completion: .file()
    )
    var identity: [String] = []

    /// The keys for a file.
    ///
    /// - Throws: ``CommandFailure``; without an identity file, and without a passphrase where one is needed.
    func identities(
        for name: String,
        needsPassphrase: Bool,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> [Identity] {
        // A mistake in what was given is told before a passphrase is asked for.
        let keys = try KeyInput.identities(files: identity, environment)
        guard needsPassphrase else { return keys.map { .key($0) } }
        let text = try SecretPrompt.ask("Passphrase of \(TerminalText.safe(name))")
        return Passphrase(text).map { [.passphrase($0)] } ?? []
    }
}
