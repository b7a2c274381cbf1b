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
    /// - Returns: `nil` if no option took a URL, or if another URL was no option's value.
    init?(in words: [String]) {
        let commands = words.lazy.compactMap { word in
            FerryCommand.commands.first { $0.configuration.commandName == word }
        }
        guard let command = commands.first else { return nil }
        let valued = OptionNames(of: command).valued
        var found: (option: String, url: String)?
        for (former, word) in zip(words, words.dropFirst()) where FamiliarWord.isURL(word) {
            guard valued.contains(former) else { return nil }
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

    /// A failure of this process, explained by its command line.
    static func explained(_ failure: CommandFailure) -> CommandFailure {
        explained(failure, Array(CommandLine.arguments.dropFirst()))
    }

    /// A failure with this in its hint, if a missing URL caused it. Any other failure stays as it is.
    ///
    /// - Parameter words: the words of the command line after the program's name.
    static func explained(_ failure: CommandFailure, _ words: [String]) -> CommandFailure {
        guard failure.usageFault == .missingURL, let swallowed = SwallowedURL(in: words) else {
            return failure
        }
        var explained = failure
        explained.hint = failure.hint.map { "\(swallowed.sentence) \($0)" } ?? swallowed.sentence
        // In wget it is a flag.
        if swallowed.option == "--mirror" {
            explained.hint = "\(swallowed.sentence) \(FamiliarWord.mirror)."
        }
        return explained
    }
}
