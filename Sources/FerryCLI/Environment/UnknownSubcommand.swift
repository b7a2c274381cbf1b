import FerryFrontend

/// A word behind a command of two words, such as `ferry cache`, that is none of its commands.
enum UnknownSubcommand {
    /// What to type instead of a word that other tools use; `nil` for any other word.
    static func advice(on word: String, in command: String) -> String? {
        tables[command]?[word]
    }

    /// The message about a word that is none of the commands `names`.
    static func message(_ word: String, in command: String, _ names: [String]) -> String {
        let shown = TerminalText.truncatedAtEnd(QuotedWord(word).description, to: 40)
        let meant = EditDistance.nearest(to: word, among: names, within: 2).map { " Did you mean '\($0)'?" }
        let advice = advice(on: word, in: command).map { " \($0)" } ?? meant ?? ""
        return "There is no command 'ferry \(command) \(shown)'.\(advice)"
    }

    private static let newPool =
        "`ferry get --cache POOL URL` creates a pool with its first file; `ferry cache set POOL` sets limits."
    private static let noPool = "`ferry cache clear POOL` removes the entries of a pool."
    private static let newQueue =
        "`ferry add --queue NAME URL` creates a queue with its first transfer; `ferry queue set NAME` sets limits."
    private static let noQueue = "`ferry queue remove NAME` removes a queue."

    private static let tables: [String: [String: String]] = [
        "cache": [
            "create": newPool, "add": newPool, "new": newPool, "make": newPool,
            "remove": noPool, "rm": noPool, "delete": noPool,
        ],
        "queue": [
            "create": newQueue, "add": newQueue, "new": newQueue, "make": newQueue,
            "rm": noQueue, "delete": noQueue,
        ],
    ]
}
