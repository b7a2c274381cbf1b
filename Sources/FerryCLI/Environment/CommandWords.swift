import Ferry

/// The words of this process as `ps` shows them to every user of the machine.
enum CommandWords {
    /// Overwrites the secrets among the words, as curl does. Call it when the words have been read.
    ///
    /// Where the system does not tell where they are in memory, they stay.
    static func hideSecrets() {
        guard let region = TransferEngine.commandWords() else { return }
        var words: [Range<Int>] = []
        var start = 0
        for index in region.indices where region[index] == 0 {
            words.append(start..<index)
            start = index + 1
        }
        let texts = words.map { Array(region[$0]) }
        for (word, secret) in zip(words, secrets(in: texts)) {
            for offset in secret { region[word.lowerBound + offset] = UInt8(ascii: "x") }
        }
    }

    /// The bytes of a secret in each word.
    static func secrets(in words: [[UInt8]]) -> [Range<Int>] {
        zip([[]] + words, words).map { former, word in
            if options.contains(String(decoding: former, as: UTF8.self)) { return word.indices }
            if word.starts(with: "--".utf8), let sign = word.firstIndex(of: UInt8(ascii: "=")),
                options.contains(String(decoding: word[..<sign], as: UTF8.self))
            {
                return word.index(after: sign)..<word.endIndex
            }
            // With an attached value: `-uname:password`.
            if word.count > 2, word.starts(with: "-u".utf8) || word.starts(with: "-H".utf8) {
                return 2..<word.endIndex
            }
            return userInfo(in: word)
        }
    }

    /// The options with a secret. Any header field may be one.
    private static let options: Set = ["-u", "--user", "--bearer", "-H", "--header"]

    /// The name and the password in a URL.
    private static func userInfo(in word: [UInt8]) -> Range<Int> {
        guard let slashes = word.firstRange(of: Array("://".utf8)) else { return 0..<0 }
        let rest = word[slashes.upperBound...]
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return 0..<0 }
        return slashes.upperBound..<at
    }
}
