import Foundation
import Testing

/// Every scenario of a hostile server, against the real tool. Each scenario has its own expectations, and some rules
/// are checked for all scenarios.
@Suite("Hostile servers", .limitedParallelism)
struct HostileServerTests {
    @Test("every scenario file can be read, and there are enough scenarios")
    func scenariosAreRead() throws {
        #expect(try Scenario.all.get().count >= 120)
    }

    @Test("no answer of a hostile server does harm", arguments: Scenario.runnable)
    func hostileAnswersDoNoHarm(_ scenario: Scenario) async throws {
        guard let known = scenario.known else { return try await play(scenario) }
        await withKnownIssue(Comment(rawValue: known)) { try await play(scenario) }
    }

    private func play(_ scenario: Scenario) async throws {
        try await Trial.prepare(scenario, .ferry) { trial in
            let before = try trial.surroundings()
            for number in scenario.runs.indices {
                let result = try await trial.run(number + 1, within: Deadline.limit)
                if let overdue = result.overdue { throw overdue }
                expect(scenario.runs[number], result, in: trial, "command \(number + 1)")
                expectNoHarm(result, in: trial)
                if let state = scenario.runs[number].state {
                    let states = try await trial.sandbox.transfers().map(\.state)
                    #expect(states == [state], "command \(number + 1)")
                }
            }
            #expect(trial.server.mistakes.isEmpty, "\(trial.server.mistakes)")
            if let version = scenario.resumable { try await resume(to: version, in: trial) }
            #expect(before.changes(to: try trial.surroundings()) == [], "written outside")
            #expect(trial.leaks == [], "a secret went to another origin")
            try await expectNoSecretIsShown(in: trial)
        }
    }

    /// Checks what the scenario itself expects of a command.
    private func expect(_ run: ScenarioRun, _ result: Trial.Result, in trial: Trial, _ which: String) {
        let outcome = result.outcome
        let said = "\(which): \(outcome.commandLine)\n\(outcome.output)\(outcome.errors)\(trace(of: trial))"
        #expect(run.exits.contains(outcome.status), "status \(outcome.status), \(said)")
        #expect(!outcome.errors.contains("ERROR: "), "\(said)")
        if let asked = run.asked { #expect(asked.contains(result.asked), "\(said)") }
        for text in run.says { #expect(outcome.errors.contains(text), "'\(text)' is not said, \(said)") }
        for text in run.omits { #expect(!outcome.errors.contains(text), "'\(text)' is said, \(said)") }
        guard let left = run.left else { return }
        var expected = Set(trial.planted.keys)
        for leftover in left {
            expected.insert(leftover.name)
            let entry = result.tree.entries[leftover.name]
            switch leftover.thing {
            case .something: #expect(entry != nil, "\(leftover.name) is missing, \(said)")
            case .text(let text): #expect(entry == .file(Data(text.utf8)), "\(leftover.name), \(said)")
            case .version(let name):
                let content = trial.scenario.versions[name]?.content.bytes
                let isEqual = entry == content.map { .file($0) }
                #expect(isEqual, "\(leftover.name) is not \(name), \(said)")
            }
        }
        #expect(Set(result.tree.entries.keys) == expected, "\(said)")
    }

    /// Checks what must hold after every command of every scenario.
    private func expectNoHarm(_ result: Trial.Result, in trial: Trial) {
        let planted = trial.planted
        let replaced = Set(trial.scenario.runs.flatMap { $0.left ?? [] }.map(\.name))
        var files = result.tree.entries
        for (name, entry) in planted {
            if !replaced.contains(name) { #expect(files[name] == entry, "\(name) was there before") }
            if files[name] == entry { files[name] = nil }
        }
        let published = files.filter { !$0.key.hasSuffix(".part") && $0.value != .directory }
        for (name, entry) in published {
            #expect(trial.isWhole(entry), "\(name) is no whole version\n\(trace(of: trial))")
        }
        if result.outcome.status == 0 {
            #expect(!published.isEmpty, "success without a file")
            #expect(files.count == published.count, "success with a part left: \(files.keys.sorted())")
        }
        if let limit = trial.scenario.peak { #expect(result.peak <= limit, "memory") }
    }

    /// Makes the server honest, and expects that an unfinished download becomes the right file.
    private func resume(to version: String, in trial: Trial) async throws {
        trial.server.becomesHonest(about: version)
        guard var run = trial.scenario.runs.last else { return }
        run.interruption = nil
        let result = try await trial.run(run, within: Deadline.limit)
        let said = "honest at last: \(result.outcome.errors)\(trace(of: trial))"
        #expect(result.outcome.status == 0, "\(said)")
        let content = trial.scenario.versions[version]?.content.bytes
        let isThere = result.tree.entries.values.contains { entry in content.map { .file($0) } == entry }
        #expect(isThere, "\(said)")
        expectNoHarm(result, in: trial)
    }

    /// In a scenario with secrets, expects that Ferry's output about the transfer contains none of them.
    private func expectNoSecretIsShown(in trial: Trial) async throws {
        let hasSecrets = trial.server.requests.contains { request in
            request.head.fields.contains { field in Trial.secrets.contains { field.value.contains($0) } }
                || Trial.secrets.contains { request.head.path.contains($0) }
        }
        guard hasSecrets else { return }
        let lines = [
            ["list", "--all"], ["list", "--all", "--json"], ["show", "1"], ["show", "1", "--json"],
        ]
        var texts = trial.sandbox.saidSoFar
        for line in lines {
            let outcome = try await trial.sandbox.launch(line).outcome()
            texts += outcome.output + outcome.errors
        }
        for secret in Trial.secrets { #expect(!texts.contains(secret), "a secret is shown") }
    }

    /// The requests, for the message of a failure.
    private func trace(of trial: Trial) -> String {
        trial.server.requests.map { request in
            let fields = ["range", "if-range", "if-match"].compactMap { name in
                request.head[name].map { "\(name): \($0)" }
            }
            return
                "\n  asked (\(request.run)) \(request.origin)\(request.head.path) \(fields.joined(separator: ", "))"
        }.joined()
    }
}
