/// Words that mean something else in curl and wget, and what to type instead.
enum FamiliarWord {
    /// What copies a directory, as wget's `-r` and `-m` do.
    static let mirror = "`ferry mirror URL DIRECTORY` copies a directory with all that is in it"

    /// Whether a word is a URL, by its scheme.
    static func isURL(_ word: String) -> Bool {
        ["http://", "https://", "s3://", "oss://", "gs://"].contains { word.lowercased().hasPrefix($0) }
    }

    /// Whether a word can only be a path: a URL has a scheme, or a path behind its host.
    static func isPath(_ word: String) -> Bool {
        ["/", "./", "../", "~/"].contains { word.hasPrefix($0) }
            || !word.contains("/") && !word.contains(":")
    }

    /// Whether a word is the body of curl's `--json`. No URL has such quotes.
    static func isJSON(_ word: String) -> Bool {
        word == "{}" || word == "[]" || word.hasPrefix("{\"") || word.hasPrefix("[{")
    }

    /// Whether a word is a number, perhaps with a unit, as some options of aria2 take it.
    static func isNumber(_ word: String) -> Bool {
        let unit = word.drop { $0.isASCII && $0.isNumber }
        return unit.count < word.count && ["", "K", "M", "G"].contains(unit.uppercased())
    }

    /// Whether a word is no range of bytes, but a URL or an option: in wget, `-r` is a flag.
    static func isNoRange(_ word: String) -> Bool {
        isURL(word) || word.hasPrefix("-") && word.dropFirst().first?.isNumber != true
    }

    /// What to type instead of wget's `-O NAME`.
    static func advice(onName name: String) -> String {
        let purpose = name == "-" ? "writes to standard output" : "names the file"
        return "-O takes no name, as in curl. `-o \(name)` \(purpose)."
    }

    /// What to type instead of curl's `--json BODY`.
    static func adviceOnJSON(in command: String) -> String {
        let body = command == "send" ? "--data-json JSON" : "`ferry send POST URL --data-json JSON`"
        return "--json prints the output as JSON, as in every command; \(body) sends a body."
    }
}
