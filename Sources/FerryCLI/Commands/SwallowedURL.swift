import ArgumentParser
import FerryFrontend

/// A URL that an option took as its value, in a command line that lacks one.
struct SwallowedURL: Hashable, Sendable {
    /// The option, as typed.
    let option: String
    /// The URL without its secrets, or words that stand for it.
    let url: String

    /// Finds the first one.
    ///
    /// - Returns: `nil` if there is none, or if another URL stands alone.
    init?(in words: [String]) {
        let commands = words.lazy.compactMap { word in
            FerryCommand.commands.first { $0.configuration.commandName == word }
        }
        guard let command = commands.first else { return nil }
        let help = FerryCommand.helpMessage(for: command, columns: 200)
        var found: (option: String, url: String)?
        for (former, word) in zip(words, words.dropFirst()) where Self.isURL(word) {
            guard former.hasPrefix("-"), Self.takesValue(former, in: help) else { return nil }
            // A text that is sent is not shown at all: it may be a secret as a whole.
            let isSecret = QuotedWord.secretOptions.contains(former)
            found = found ?? (former, isSecret ? "a URL" : QuotedWord(word).description)
        }
        guard let found else { return nil }
        (option, url) = found
    }

    /// What happened, as a sentence.
    var sentence: String { "`\(option)` took \(url) as its value." }

    /// A message of the parser with this as its second sentence.
    func added(to message: String) -> String {
        let end = message.firstIndex(of: "\n") ?? message.endIndex
        return "\(message[..<end]). \(sentence)\(message[end...])"
    }

    /// A failure with this in its hint, if a missing URL caused it. Any other failure stays as it is.
    ///
    /// - Parameter words: the words of the command line after the program's name.
    static func explained(
        _ failure: CommandFailure,
        _ words: [String] = Array(CommandLine.arguments.dropFirst())
    ) -> CommandFailure {
        guard failure.usageFault == .missingURL, let swallowed = SwallowedURL(in: words) else {
            return failure
        }
        var explained = failure
        explained.hint = failure.hint.map { "\(swallowed.sentence) \($0)" } ?? swallowed.sentence
        return explained
    }

    private static func isURL(_ word: String) -> Bool {
        ["http://", "https://", "s3://", "oss://", "gs://"].contains { word.lowercased().hasPrefix($0) }
    }

    /// Whether an option takes the next word as its value, by the help text: its line has the names and the
    /// name of the value, and then two spaces.
    private static func takesValue(_ option: String, in help: String) -> Bool {
        help.split(separator: "\n").contains { line in
            let words = line.drop { $0 == " " }
            let names = words.firstRange(of: "  ").map { words[..<$0.lowerBound] } ?? words
            guard names.hasPrefix("-"), let value = names.firstRange(of: " <") else { return false }
            return names[..<value.lowerBound].split(separator: ", ").contains { $0 == option }
        }
    }
}
