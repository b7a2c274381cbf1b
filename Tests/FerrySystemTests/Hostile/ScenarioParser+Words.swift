/// Parses the parts of a scenario's lines.
extension ScenarioParser {
    /// The trimmed text before and after the first separator.
    static func parted(_ text: Substring, at separator: Character = " ") -> (first: String, rest: String) {
        let end = text.firstIndex(of: separator) ?? text.endIndex
        let rest = text[end...].dropFirst()
        return (String(text[..<end]), separator == " " ? String(rest.drop { $0 == " " }) : String(rest))
    }

    /// Splits a text at blanks that are not between double quotes. The quotes are removed unless they are kept.
    static func words(_ text: String, keepsQuotes: Bool = false) throws(ScenarioMistake) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in text {
            switch character {
            case "\"":
                isQuoted.toggle()
                word = (word ?? "") + (keepsQuotes ? "\"" : "")
            case " " where !isQuoted:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        guard !isQuoted else { throw ScenarioMistake("a quote that is not closed") }
        if let word { words.append(word) }
        return words
    }

    static func unquoted(_ word: String) -> String {
        word.count >= 2 && word.hasPrefix("\"") && word.hasSuffix("\"")
            ? String(word.dropFirst().dropLast()) : word
    }

    static func whole(_ text: String) throws(ScenarioMistake) -> Int {
        guard let number = Int(text), number >= 0 else { throw ScenarioMistake("no number: '\(text)'") }
        return number
    }

    /// `3`, `2..4`, `2..`
    static func span(_ text: String) throws(ScenarioMistake) -> ClosedRange<Int> {
        guard let dots = text.firstRange(of: "..") else {
            let number = try whole(text)
            return number...number
        }
        let high = text[dots.upperBound...]
        let (low, top) = (
            try whole(String(text[..<dots.lowerBound])), high.isEmpty ? Int.max : Int(high) ?? 0
        )
        guard low <= top else { throw ScenarioMistake("no range: '\(text)'") }
        return low...top
    }

    /// `run=2`, `nth=1`, `open=3..`, `path=/x`, `origin=other`, `range`, `no-if-range` and so on for any field.
    static func condition(_ word: String) throws(ScenarioMistake) -> AnswerRule.Condition {
        guard word.contains("=") else {
            return word.hasPrefix("no-") ? .lacks(String(word.dropFirst(3))) : .has(word)
        }
        let (name, value) = parted(word[...], at: "=")
        switch name {
        case "run": return .run(try span(value))
        case "nth": return .nth(try span(value))
        case "open": return .open(try span(value))
        case "path": return .path(value)
        case "origin": return .origin(value)
        default: throw ScenarioMistake("'\(word)' is no condition")
        }
    }

    /// `NAME/`, `NAME "text"` or `NAME -> TARGET`.
    static func plant(_ text: String) throws(ScenarioMistake) -> Scenario.Plant {
        let (name, rest) = parted(text[...])
        if name.hasSuffix("/"), rest.isEmpty { return .directory(String(name.dropLast())) }
        if rest.hasPrefix("-> ") { return .link(name, to: String(rest.dropFirst(3))) }
        guard rest.hasPrefix("\"") else { throw ScenarioMistake("nothing to plant: '\(text)'") }
        return .file(name, text: unquoted(rest))
    }

    /// `NAME`, `NAME = VERSION` or `NAME = "text"`.
    static func leftover(_ text: String) throws(ScenarioMistake) -> ScenarioRun.Leftover {
        guard let equals = text.firstRange(of: " = ") else { return .init(name: text, thing: .something) }
        let name = String(text[..<equals.lowerBound])
        let value = String(text[equals.upperBound...])
        let isText = value.hasPrefix("\"")
        return .init(name: name, thing: isText ? .text(unquoted(value)) : .version(value))
    }
}

extension AnswerStep {
    /// Reads one step of an answer.
    init(_ word: String, _ rest: String) throws(ScenarioMistake) {
        switch word {
        case ">": self = .send(try ScenarioText(rest + "\\r\\n"))
        case "raw": self = .send(try ScenarioText(rest))
        case "repeat", "forever":
            let (count, text) = word == "forever" ? ("", rest) : ScenarioParser.parted(rest[...])
            let times = word == "forever" ? Int.max : try ScenarioParser.whole(count)
            self = .sendAgain(try ScenarioText(text), times: times)
        case "body", "drip":
            let words = rest.split(separator: " ").map(String.init)
            guard let name = words.first else { throw ScenarioMistake("a body of nothing") }
            let (low, high) = try Self.bounds(words.count > 1 ? words[1] : "..", of: name)
            self =
                word == "body"
                ? .body(name, from: low, to: high)
                : .drip(name, from: low, to: high, every: try ScenarioParser.whole(words.last ?? ""))
        case "honest": self = .honest(try HonestAnswer(rest))
        case "hold": self = .hold
        case "reset": self = .reset
        case "close": self = .close
        default: throw ScenarioMistake("'\(word)' is nothing that a server does")
        }
    }

    private static func bounds(
        _ text: String,
        of version: String
    ) throws(ScenarioMistake) -> (ScenarioNumber, ScenarioNumber) {
        guard let dots = text.firstRange(of: "..") else { throw ScenarioMistake("no range: '\(text)'") }
        let (low, high) = (String(text[..<dots.lowerBound]), String(text[dots.upperBound...]))
        return (
            try ScenarioNumber(low.isEmpty ? "0" : low), try ScenarioNumber(high.isEmpty ? version : high)
        )
    }
}

extension HonestAnswer {
    /// Reads `VERSION cut=80000 end=reset pace=1000000 ignores-range …`.
    init(_ text: String) throws(ScenarioMistake) {
        let words = text.split(separator: " ").map(String.init)
        guard let name = words.first else { throw ScenarioMistake("honest about nothing") }
        self.init(version: name)
        for word in words.dropFirst() {
            let (key, value) = ScenarioParser.parted(word[...], at: "=")
            if key == "cut" {
                cut = try ScenarioNumber(value)
            } else if key == "pace" {
                pace = try ScenarioParser.whole(value)
            } else if key == "end", let how = End(rawValue: value) {
                end = how
            } else if let flaw = Flaw(rawValue: word) {
                flaws.insert(flaw)
            } else {
                throw ScenarioMistake("'\(word)' is nothing that a server does")
            }
        }
    }
}
