import Ferry
import FerryFrontend

/// The words of this process: as `ps` shows them to every user of the machine, and as a message quotes them.
enum CommandWords {
    /// Overwrites the secrets among the words, as curl does. Call it when the words have been read.
    ///
    /// Where the system does not tell where they are in memory, they stay.
    static func hideSecrets() {
        guard let region = TransferEngine.commandWords() else { return }
        var former: [UInt8] = []
        var start = 0
        for index in region.indices where region[index] == 0 {
            let word = Array(region[start..<index])
            for offset in secret(in: word, after: former) { region[start + offset] = UInt8(ascii: "x") }
            former = word
            start = index + 1
        }
    }

    /// The bytes of the secret in a word that stands behind another one; rather too many than too few.
    static func secret(in word: [UInt8], after former: [UInt8]) -> Range<Int> {
        if takesCredential(former[...]) || place(in: former, of: credentials) == former.count - 1 {
            return word.indices
        }
        if isProxy(former[...]) { return start(of: word, at: 0) }
        if word.starts(with: "--".utf8), let sign = word.firstIndex(of: UInt8(ascii: "=")) {
            let (option, value) = (word[..<sign], word.index(after: sign))
            if takesCredential(option) { return value..<word.endIndex }
            if isProxy(option) { return start(of: word, at: value) }
        } else if let last = place(in: word, of: credentials) {
            return last + 1..<word.endIndex
        }
        return parts(ofURL: word)
    }

    /// A word that stands behind another one, as a message may quote it (I7).
    static func quoted(_ word: String, after former: String) -> String {
        let (bytes, before) = (Array(word.utf8), Array(former.utf8))
        if QuotedWord.secretOptions.contains(former) || place(in: before, of: secrets) == before.count - 1 {
            return "…"
        }
        guard let last = place(in: bytes, of: secrets), last + 1 < bytes.count else {
            return QuotedWord(word).description
        }
        return String(decoding: bytes[...last], as: UTF8.self) + "…"
    }

    /// The letters of the short options whose value is a credential.
    private static let credentials = letters(of: QuotedWord.credentialOptions)
    /// The letters of those whose value may be a secret.
    private static let secrets = letters(of: QuotedWord.secretOptions)

    private static func letters(of options: [String]) -> [UInt8] {
        options.filter { $0.utf8.count == 2 }.compactMap { $0.utf8.last }
    }

    /// Flags that may stand before another option in one word.
    private static let flags = Set(ShortOption.flagsBesideCredentials.utf8)

    /// Whether a word is an option whose value is a credential. Of other words there may be a hundred thousand.
    private static func takesCredential(_ word: ArraySlice<UInt8>) -> Bool {
        word.first == UInt8(ascii: "-")
            && QuotedWord.credentialOptions.contains { word.elementsEqual($0.utf8) }
    }

    private static func isProxy(_ word: ArraySlice<UInt8>) -> Bool { word.elementsEqual("--proxy".utf8) }

    /// The place of the first letter in a word of short options that is no flag, if it is one of these: the `u` of `-vu` and of
    /// `-vuname:password`.
    private static func place(in word: [UInt8], of letters: [UInt8]) -> Int? {
        guard word.first == UInt8(ascii: "-"),
            let index = word.dropFirst().firstIndex(where: { !flags.contains($0) }),
            letters.contains(word[index])
        else { return nil }
        return index
    }

    /// Everything before the host of a proxy, which may lack a scheme.
    private static func start(of word: [UInt8], at place: Int) -> Range<Int> {
        word[place...].lastIndex(of: UInt8(ascii: "@")).map { place..<$0 } ?? place..<place
    }

    /// The name and the password in a URL; otherwise its query, which may be a signature.
    private static func parts(ofURL word: [UInt8]) -> Range<Int> {
        let colon = word.indices.first {
            word[$0] == UInt8(ascii: ":") && word[($0 + 1)...].starts(with: "//".utf8)
        }
        guard let colon else { return 0..<0 }
        let rest = word[(colon + 3)...]
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            let query = rest.firstIndex(of: UInt8(ascii: "?"))
            return rest.startIndex..<(query == nil ? at : word.endIndex)
        }
        return rest.firstIndex(of: UInt8(ascii: "?")).map { $0 + 1..<word.endIndex } ?? 0..<0
    }
}
