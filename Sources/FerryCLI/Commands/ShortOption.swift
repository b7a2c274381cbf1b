/// Short options with an attached value, as people type them for curl and make: `-x4`, `-d/tmp`.
enum ShortOption {
    /// Those of the options for requests.
    private static let request = "HAeu"

    /// The short options of a command that take a value, each a letter.
    static func valued(of command: String) -> String {
        switch command {
        case "get", "adopt": request + "odixjrCw"
        case "add": request + "odixrC"
        case "mirror": request + "xj"
        case "send": request + "dioF"
        case "put", "cat": request + "i"
        case "presign", "edit": "H"
        case "seal": "o"
        case "open": "oi"
        case "run", "resume", "retry": "jw"
        default: ""
        }
    }

    /// Inserts a `=` between each such option and its attached value: the parser accepts `-x=4`, but takes `-x4` for
    /// another word.
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
