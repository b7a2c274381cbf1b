/// The short options of each command.
///
/// The parser lists them only in its help text, which takes milliseconds. A test compares this table with it.
enum ShortOption {
    /// Those of every command, all without a value.
    private static let ofAll = "qsvS"
    /// Those with a value of commands that send requests.
    private static let request = "HAeu"
    /// Those without a value of commands that connect.
    private static let connection = "k46"
    /// Those without a value of commands that also accept curl's flags for requests.
    private static let familiar = "\(connection)Lf"
    /// Those without a value of commands that download.
    private static let download = "\(familiar)cOJNRg"

    /// Those of each command and its subcommands, besides those of every command. Each is a letter.
    private static let table: [String: (valued: String, flags: String)] = [
        "get": ("\(request)odixjrCw", "\(download)I"), "adopt": ("\(request)odixjrCw", download),
        "add": ("\(request)odixrC", download), "mirror": ("\(request)xj", connection),
        "send": ("\(request)dioFw", familiar), "put": ("\(request)iw", "\(familiar)r"),
        "cat": ("\(request)i", connection), "presign": ("H", ""), "edit": ("H", ""), "seal": ("o", ""),
        "open": ("oi", ""), "run": ("jw", ""), "resume": ("jw", "d"), "retry": ("jw", "d"), "list": ("", "a"),
        "uploads": ("", connection),
    ]

    /// Those of a command that take a value, each a letter.
    static func valued(of command: String) -> String { table[command]?.valued ?? "" }

    /// Those of a command without a value, each a letter.
    static func flags(of command: String) -> String { ofAll + (table[command]?.flags ?? "") }

    /// The flags that may stand before an option with a credential in one word, as in `-Ru`, whatever the command.
    static let flagsBesideCredentials =
        ofAll + table.values.filter { $0.valued.contains("H") }.map { $0.flags }.joined()

    /// Whether a word consists of flags of every command.
    static func areGlobal(_ word: String) -> Bool {
        word.count > 1 && word.first == "-" && word.dropFirst().allSatisfy { ofAll.contains($0) }
    }

    /// Inserts a `=` between each option with a value and its attached value, as people type them for curl and make: `-x4`,
    /// `-d/tmp`. The parser accepts `-x=4`, but takes `-x4` for another word.
    ///
    /// Words after `--` are not options.
    static func detached(_ words: [String], of command: String) -> [String] {
        let valued = valued(of: command)
        guard !valued.isEmpty else { return words }
        let end = words.firstIndex(of: "--") ?? words.endIndex
        return words[..<end].map { word in
            guard word.first == "-", word.count > 2, let name = word.dropFirst().first, valued.contains(name),
                word.dropFirst(2).first != "="
            else { return word }
            return "-\(name)=\(word.dropFirst(2))"
        } + words[end...]
    }
}
