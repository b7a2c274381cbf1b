import ArgumentParser
import FerryFrontend

/// The names of a command's options.
///
/// The parser lists them only in its help text and in JSON for other tools. In the help text, the line of an option begins with
/// its names, and then has the name of its value in angle brackets.
struct OptionNames: Hashable, Sendable {
    /// Those that take the next word as their value.
    private(set) var valued: Set<String> = []
    /// Those without a value.
    private(set) var flags: Set<String> = []

    /// Reads those of a command.
    init(of command: any ParsableCommand.Type) {
        let help = FerryCommand.helpMessage(for: command, includeHidden: true, columns: 200)
        // Lines of running text can begin with an option, too, but have another indentation.
        for line in help.split(separator: "\n") where line.hasPrefix("  -") {
            let words = line.split(separator: " ")
            let others = words.prefix { $0.hasPrefix("-") && $0.hasSuffix(",") }
            let rest = words.dropFirst(others.count)
            guard let last = rest.first else { continue }
            let names = others.map { String($0.dropLast()) } + [String(last)]
            if rest.dropFirst().first?.hasPrefix("<") == true {
                valued.formUnion(names)
            } else {
                flags.formUnion(names)
            }
        }
    }

    /// The first word that has the form of an option and is none of these. Values, and what follows `--`, are no options.
    func unknown(in words: some Sequence<String>) -> String? {
        given(in: words).first { name in
            // Other words with one hyphen may be several options, or an option with its value.
            let isLetter = name.count == 2 && name.last?.isLetter == true
            return (name.hasPrefix("--") || isLetter) && !valued.contains(name) && !flags.contains(name)
        }
    }

    /// The words that begin with a hyphen, without what follows a `=`. Values, and what follows `--`, are left out.
    func given(in words: some Sequence<String>) -> [String] {
        var given: [String] = []
        var isValue = false
        for word in words {
            if isValue {
                isValue = false
                continue
            }
            if word == "--" { break }
            isValue = valued.contains(word)
            if word.hasPrefix("-") { given.append(Self.name(in: word)) }
        }
        return given
    }

    /// A word without an attached value.
    static func name(in word: String) -> String {
        String(word.prefix { $0 != "=" })
    }

    /// The long name that is most like a word.
    func nearest(to word: String) -> String? {
        EditDistance.nearest(to: word, among: valued.union(flags).filter { $0.hasPrefix("--") }.sorted())
    }
}
