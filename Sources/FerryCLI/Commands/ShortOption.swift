/// Short options with an attached value, as people type them for curl and make: `-x4`, `-d/tmp`.
enum ShortOption {
    /// Those of the options for requests.
    private static let request: Set<Character> = ["H", "A", "e", "u"]

    /// The short options of each command that take a value.
    static let valued: [String: Set<Character>] = [
        "get": request.union("odixjrCw"),
        "add": request.union("odixrC"),
        "adopt": request.union("odixjrCw"),
        "mirror": request.union("xj"),
        "send": request.union("dioF"),
        "put": request.union("i"),
        "presign": ["H"],
        "seal": ["o"], "open": ["o", "i"], "cat": request.union("i"),
        "run": ["j", "w"], "resume": ["j", "w"], "retry": ["j", "w"],
        "edit": ["H"],
    ]

    /// Inserts a `=` between each such option and its attached value: the parser accepts `-x=4`, but takes `-x4` for
    /// another word.
    ///
    /// Words after `--` are not options.
    static func detached(_ words: [String], of command: String) -> [String] {
        guard let valued = valued[command] else { return words }
        let end = words.firstIndex(of: "--") ?? words.endIndex
        return words[..<end].map { word in
            guard word.count > 2, word.first == "-", let name = word.dropFirst().first, valued.contains(name),
                word.dropFirst(2).first != "="
            else { return word }
            return "-\(name)=\(word.dropFirst(2))"
        } + words[end...]
    }
}
