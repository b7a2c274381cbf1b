/// A number in a scenario that may depend on the request: `200000`, `from`, `A-1`, `A-from+5`.
///
/// `from` is the start of the requested range (0 without a range), `n` is the request's number, and the name of a version
/// is its length.
struct ScenarioNumber: Hashable, Sendable {
    private var terms: [(sign: Int, word: String)]
    private let source: String

    init(_ source: String) throws(ScenarioMistake) {
        self.source = source
        terms = []
        var sign = 1
        var word = ""
        for character in source + "+" {
            guard character == "+" || character == "-" else {
                word.append(character)
                continue
            }
            guard !word.isEmpty || terms.isEmpty else { throw ScenarioMistake("no number: \(source)") }
            if !word.isEmpty { terms.append((sign, word)) }
            sign = character == "-" ? -1 : 1
            word = ""
        }
        guard !terms.isEmpty else { throw ScenarioMistake("no number: \(source)") }
    }

    /// Its value. `meaning` returns the value of a word; the result is `nil` if a word has no value.
    func value(_ meaning: (String) -> Int?) -> Int? {
        var sum = 0
        for term in terms {
            guard let value = Int(term.word) ?? meaning(term.word) else { return nil }
            sum += term.sign * value
        }
        return sum
    }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.source == rhs.source }

    func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
