import Foundation

/// Reads scenario files line by line. docs/SCENARIOS.md describes the format.
struct ScenarioParser {
    private(set) var scenarios: [Scenario] = []
    private let file: String
    private var number = 0
    private var context = Context.none

    /// The line that indented lines belong to.
    private enum Context {
        case none
        case rule
        case run
    }

    private init(file: String) {
        self.file = file
    }

    /// All scenarios in a text, in order.
    static func parse(_ text: String, file: String = "") throws(ScenarioMistake) -> [Scenario] {
        var parser = ScenarioParser(file: file)
        do {
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                parser.number += 1
                try parser.read(String(line))
            }
            for scenario in parser.scenarios { try scenario.check() }
        } catch {
            var mistake = error
            mistake.file = file
            mistake.line = mistake.line == 0 ? parser.number : mistake.line
            throw mistake
        }
        return parser.scenarios
    }

    private mutating func read(_ line: String) throws(ScenarioMistake) {
        let text = line.drop { $0 == " " }
        guard !text.isEmpty, !text.hasPrefix("#") else { return }
        let (word, rest) = Self.parted(text)
        if word == "==" {
            guard !rest.isEmpty, !scenarios.contains(where: { $0.name == rest }) else {
                throw ScenarioMistake("a name that is missing or taken")
            }
            scenarios.append(Scenario(name: rest))
            context = .none
            return
        }
        guard !scenarios.isEmpty else { throw ScenarioMistake("a line before the first '== NAME'") }
        if line.contains("{tls}") { scenarios[scenarios.count - 1].needsTLS = true }
        if line.lowercased().contains("content-disposition:") {
            scenarios[scenarios.count - 1].proposesName = true
        }
        if line.first != " " {
            try directive(word, rest)
        } else {
            switch context {
            case .none: throw ScenarioMistake("an indented line that belongs to nothing")
            case .rule: try step(word, rest)
            case .run: try expectation(word, rest)
            }
        }
    }

    // MARK: The scenario itself

    private mutating func directive(_ word: String, _ rest: String) throws(ScenarioMistake) {
        context = .none
        let last = scenarios.count - 1
        switch word {
        case "why": scenarios[last].why += (scenarios[last].why.isEmpty ? "" : " ") + rest
        case "version", "impostor": try version(rest, isImpostor: word == "impostor")
        case "plant": scenarios[last].plants.append(try Self.plant(rest))
        case "resumable": scenarios[last].resumable = rest
        case "peak": scenarios[last].peak = try Self.whole(rest.replacing("M", with: "")) * .mebibyte
        case "known": scenarios[last].known = rest
        case "begun": try begun(rest)
        case "on":
            context = .rule
            var conditions: [AnswerRule.Condition] = []
            for word in rest.split(separator: " ") where word != "any" {
                conditions.append(try Self.condition(String(word)))
            }
            scenarios[last].rules.append(AnswerRule(conditions: conditions))
        case "run":
            context = .run
            let words = rest.isEmpty ? ["--retries", "0", "/file.bin"] : try Self.words(rest)
            var arguments: [ScenarioText] = []
            for word in words { arguments.append(try ScenarioText(word)) }
            scenarios[last].runs.append(ScenarioRun(arguments: arguments))
        default: throw ScenarioMistake("'\(word)' is no directive")
        }
    }

    /// `NAME 200000 etag="a" modified=DATE type=TYPE` or `NAME "text" …`.
    private mutating func version(_ rest: String, isImpostor: Bool) throws(ScenarioMistake) {
        let words = try Self.words(rest, keepsQuotes: true)
        guard words.count >= 2 else { throw ScenarioMistake("a version needs a name and its bytes") }
        let content: Content
        if words[1].hasPrefix("\"") {
            content = Content(bytes: Data(try ScenarioText(Self.unquoted(words[1])).bytes { "{\($0)}" }))
        } else {
            let seed = words[0].utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
            content = Content(count: try Self.whole(words[1]), seed: seed)
        }
        var version = ScenarioVersion(content: content, isImpostor: isImpostor)
        for word in words.dropFirst(2) {
            let (name, value) = Self.parted(word[...], at: "=")
            switch name {
            case "etag": version.tag = value
            case "modified": version.modified = Self.unquoted(value)
            case "type": version.type = Self.unquoted(value)
            default: throw ScenarioMistake("'\(name)' says nothing of a version")
            }
        }
        scenarios[scenarios.count - 1].versions[words[0]] = version
    }

    /// `begun A 80000`: the first command gets this many bytes of a version, then the connection is cut.
    private mutating func begun(_ rest: String) throws(ScenarioMistake) {
        let (name, bytes) = Self.parted(rest[...])
        let honest = HonestAnswer(version: name, cut: try ScenarioNumber(bytes))
        var run = ScenarioRun(arguments: [])
        for word in ["--retries", "0", "/file.bin"] { run.arguments.append(try ScenarioText(word)) }
        run.exits = [6]
        run.left = [.init(name: "file.bin.part", thing: .something)]
        scenarios[scenarios.count - 1].rules.append(
            AnswerRule(conditions: [.run(1...1)], steps: [.honest(honest)])
        )
        scenarios[scenarios.count - 1].runs.append(run)
    }

    // MARK: Answers and expectations

    private mutating func step(_ word: String, _ rest: String) throws(ScenarioMistake) {
        let last = scenarios.count - 1
        let rule = scenarios[last].rules.count - 1
        if word == "with" {
            guard case .honest(var honest) = scenarios[last].rules[rule].steps.popLast() else {
                throw ScenarioMistake("'with' follows 'honest'")
            }
            honest.fields.append(try ScenarioText(rest))
            scenarios[last].rules[rule].steps.append(.honest(honest))
        } else {
            scenarios[last].rules[rule].steps.append(try AnswerStep(word, rest))
        }
    }

    private mutating func expectation(_ word: String, _ rest: String) throws(ScenarioMistake) {
        let last = scenarios.count - 1
        var run = scenarios[last].runs.removeLast()
        switch word {
        case "exit":
            run.exits = []
            for word in rest.split(separator: " ") { run.exits.insert(Int32(try Self.whole(String(word)))) }
        case "left": run.left = (run.left ?? []) + (rest == "nothing" ? [] : [try Self.leftover(rest)])
        case "state": run.state = rest
        case "asked": run.asked = try Self.span(rest)
        case "interrupted": run.interruption = rest == "waiting" ? .waiting : .written(try Self.whole(rest))
        case "says": run.says.append(rest)
        case "omits": run.omits.append(rest)
        default: throw ScenarioMistake("'\(word)' is no expectation")
        }
        scenarios[last].runs.append(run)
    }
}
