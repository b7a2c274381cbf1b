/// SplitMix64: the same seed draws the same cases, so a failure can be replayed.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

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
