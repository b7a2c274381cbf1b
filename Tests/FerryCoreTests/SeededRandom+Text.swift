import FerryTesting

extension SeededRandom {
    /// A text of up to `length` pieces, each one of `alphabet`.
    mutating func text(from alphabet: [String], length: Int) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...length, using: &self) {
            text += alphabet.randomElement(using: &self) ?? ""
        }
        return text
    }

    /// Pieces that mean something to no parser in particular.
    static let soup = [
        "\0", "\r\n", "\n", "\t", " ", "\u{7F}", "é", "e\u{301}", "💾", "\u{202E}", "\u{FEFF}", "\u{FFFD}",
        "%", "%2",
        "%2F", "%00", "\"", "\\", "'", ";", ",", "=", "/", "//", "?", "#", "@", ":", "[", "]", "-", "+", "*",
        ".", "..",
        "a", "Z", "0", "9", "99999999999999999999",
    ]
}
