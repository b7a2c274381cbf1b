import Ferry
import FerryFrontend

/// The words of this process as `ps` shows them to every user of the machine.
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
        if takesCredential(former[...]) || endsWithOption(former) { return word.indices }
        if isProxy(former[...]) { return start(of: word, at: 0) }
        if word.starts(with: "--".utf8), let sign = word.firstIndex(of: UInt8(ascii: "=")) {
            let (option, value) = (word[..<sign], word.index(after: sign))
            if takesCredential(option) { return value..<word.endIndex }
            if isProxy(option) { return start(of: word, at: value) }
        } else if word.first == UInt8(ascii: "-"), let letter = attached(in: word) {
            return letter + 1..<word.endIndex
        }
        return parts(ofURL: word)
    }

    /// The short options among those whose value is a credential.
    private static let letters: [UInt8] = QuotedWord.credentialOptions.filter { $0.utf8.count == 2 }
        .compactMap { $0.utf8.last }
    /// Flags that may stand before another option in one word.
    private static let flags = Set(ShortOption.flagsBesideCredentials.utf8)

    /// Whether a word is an option whose value is a credential. Of other words there may be a hundred thousand.
    private static func takesCredential(_ word: ArraySlice<UInt8>) -> Bool {
        word.first == UInt8(ascii: "-")
            && QuotedWord.credentialOptions.contains { word.elementsEqual($0.utf8) }
    }

    private static func isProxy(_ word: ArraySlice<UInt8>) -> Bool { word.elementsEqual("--proxy".utf8) }

    /// Whether several short options end with one whose value is the next word: `-vu`.
    private static func endsWithOption(_ word: [UInt8]) -> Bool {
        guard word.count > 1, word[0] == UInt8(ascii: "-"), let last = word.last, letters.contains(last)
        else {
            return false
        }
        return word.dropFirst().dropLast().allSatisfy(flags.contains)
    }

    /// The place of a short option whose value follows in the same word: `-uname:password`.
    private static func attached(in word: [UInt8]) -> Int? {
        let place = word.dropFirst().firstIndex { !flags.contains($0) }
        guard let place, letters.contains(word[place]), place + 1 < word.count else { return nil }
        return place
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
