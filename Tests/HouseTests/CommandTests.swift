import Testing

/// The library says what to do as a ``Remedy``; only the tool knows its commands.
@Suite("Commands")
struct CommandTests {
    /// The targets that know nothing of the tool.
    static let targets: Set<String> = [
        "FerryCore", "FerryUploads", "FerrySealed", "Ferry", "FerryIO", "FerryOutbox", "FerrySQLite",
    ]

    /// Whether a text names a command of the tool, or one of its options.
    static func namesCommand(_ text: String) -> Bool {
        text.contains("`ferry ") || text.contains(#/(?:^|[\s`'(])(?:--[a-z]|-[adHijox]\b)/#)
    }

    @Test("no text in the library names a command or an option")
    func libraryNamesNoCommand() {
        let files = House.sources.filter { Self.targets.contains($0.target) }
        let literals = files.flatMap { file in
            SourceWord.literals(in: file.text).map { (place: "\(file.path):\($0.line)", text: $0.text) }
        }
        #expect(literals.count > 1_000)
        let found = literals.filter { Self.namesCommand($0.text) }.map { "\($0.place): \($0.text)" }
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    @Test(
        "commands and options are found",
        arguments: [
            ("Type `ferry list`.", true), ("--overwrite replaces it", true), ("(--insecure)", true),
            ("give a name with -o", true), ("it is ferry's", false), ("xn--bcher-kva", false),
            ("-wal", false),
            ("a - b", false), ("(ulimit -f)", false),
        ]
    )
    func commandsAreFound(_ text: String, _ isFound: Bool) {
        #expect(Self.namesCommand(text) == isFound)
    }
}
