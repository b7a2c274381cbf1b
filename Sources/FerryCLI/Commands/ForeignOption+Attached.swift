/// Options of other tools with their values attached.
extension ForeignOption {
    /// The letters that take a value in another tool.
    private static let valuedLetters = Set("ABCDEFKMOPQRTUXYabcdjlortxyz")
    /// The letters that are flags in another tool.
    private static let flagLetters = Set("0123#EFGHIJKLMNOPRSVZbcfghkmnpqrsvx")

    /// Advice on an option of another tool with its value in the same word, as in `-P/tmp` and `-Ufoo`; `nil` if a line has none.
    /// The parser takes each letter of the value for an option.
    ///
    /// - Parameters:
    ///   - words: the words after the command.
    ///   - names: the options of the command.
    static func adviceOnAttached(
        in words: some Sequence<String>,
        _ names: OptionNames,
        of command: String
    ) -> String? {
        let (flags, valued) = (ShortOption.flags(of: command), ShortOption.valued(of: command))
        for word in names.given(in: words) where word.hasPrefix("-") && !word.hasPrefix("--") {
            let rest = word.dropFirst().drop { flags.contains($0) }
            let value = rest.dropFirst()
            guard let letter = rest.first, valuedLetters.contains(letter), !valued.contains(letter),
                !value.isEmpty, !isLongName("-\(word)", names)
            else { continue }
            // Several flags in one word, as in wget's `-Ek`.
            let areFlags = value.allSatisfy { flags.contains($0) || flagLetters.contains($0) }
            guard !areFlags || !flagLetters.contains(letter) else { continue }
            let option = "-\(letter)"
            if let known = replacement(of: option, String(value), in: command) {
                return "\(option): \(known)."
            }
        }
        return nil
    }

    /// Whether a word is the name of an option, as if it had been typed with one hyphen.
    private static func isLongName(_ word: String, _ names: OptionNames) -> Bool {
        names.valued.contains(word) || names.flags.contains(word) || table[word] != nil
            || answers[word] != nil
    }
}
