import Foundation

extension Scenario {
    /// Checks that all names of the scenario are defined. A scenario with an unknown name would prove nothing.
    func check() throws(ScenarioMistake) {
        func require(_ condition: Bool, _ what: String) throws(ScenarioMistake) {
            guard condition else { throw ScenarioMistake("\(name): \(what)") }
        }
        try require(!why.isEmpty, "no 'why'")
        try require(!rules.isEmpty, "no 'on'")
        try require(!runs.isEmpty, "no 'run'")
        var named = runs.flatMap { $0.left ?? [] }.compactMap { leftover in
            if case .version(let version) = leftover.thing { version } else { nil }
        }
        for step in rules.flatMap(\.steps) {
            switch step {
            case .body(let version, _, _), .drip(let version, _, _, _): named.append(version)
            case .honest(let honest): named.append(honest.version)
            case .send, .sendAgain, .hold, .reset, .close: break
            }
        }
        if let resumable { named.append(resumable) }
        for version in named { try require(versions[version] != nil, "there is no version '\(version)'") }
    }

    /// Reads all scenario files. A mistake in one of them fails a test.
    static let all: Result<[Scenario], any Error> = Result {
        let folder = Repository.root + "/Tests/FerrySystemTests/Scenarios"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasSuffix(".txt")
        }
        var all: [Scenario] = []
        for name in names.sorted() {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            let family = name.dropLast(".txt".count)
            all += try ScenarioParser.parse(text, file: name).map { scenario in
                var scenario = scenario
                scenario.name = "\(family)/\(scenario.name)"
                return scenario
            }
        }
        return all
    }

    /// The scenarios to run. There are none if a file has a mistake; another test reports that.
    static var runnable: [Scenario] { (try? all.get()) ?? [] }
}
