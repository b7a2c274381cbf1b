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
        "cat": ("\(request)ir", connection), "presign": ("H", ""), "edit": ("H", ""), "seal": ("o", ""),
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
    /// `-d/tmp`. The parser accepts `-x=4`, but takes `-x4` for another word. Flags before such an option become a word of their
    /// own, as in `-so-`.
    ///
    /// Words after `--` are not options.
    static func detached(_ words: [String], of command: String) -> [String] {
        let valued = valued(of: command)
        guard !valued.isEmpty else { return words }
        let flags = flags(of: command)
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var detached: [String] = []
        for word in words[..<end] {
            // There may be very many others.
            if word.first == "-" {
                detached += divided(word, valued, flags)
            } else {
                detached.append(word)
            }
        }
        return detached + words[end...]
    }

    private static func divided(_ word: String, _ valued: String, _ flags: String) -> [String] {
        guard word.count > 2 else { return [word] }
        let leading = word.dropFirst().prefix { flags.contains($0) }
        let option = word.dropFirst(1 + leading.count)
        guard let name = option.first, valued.contains(name), option.count > 1 else { return [word] }
        let value = option.dropFirst()
        let joined = value.first == "=" ? "-\(option)" : "-\(name)=\(value)"
        guard !leading.isEmpty else { return [joined] }
        // With letters only it is rather a long option with one hyphen, such as `-quiet`. The parser refuses that.
        return value.allSatisfy(\.isLetter) ? [word] : ["-\(leading)", joined]
    }
}
