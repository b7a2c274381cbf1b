/// A colour of the terminal's own palette.
enum Paint: Int, Sendable {
    case red = 31
    case yellow = 33

    /// The text in this colour.
    func applied(to text: String) -> String {
        text.isEmpty ? text : "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
    }

    /// Removes the escape sequences of ``applied(to:)`` from a text that has no others.
    static func stripped(_ text: String) -> String {
        guard text.utf8.contains(0x1B) else { return text }
        var result = ""
        var isSequence = false
        for character in text {
            if character == "\u{1B}" {
                isSequence = true
            } else if isSequence {
                isSequence = character != "m"
            } else {
                result.append(character)
            }
        }
        return result
    }
}
