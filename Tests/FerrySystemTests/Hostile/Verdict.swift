/// The verdict on a contender in a scenario. The rules are the same for all contenders.
struct Verdict: Sendable {
    var result = Result.refused(0)
    var harms: [Harm] = []

    enum Result: Hashable, Sendable {
        /// It reported success, and the file is one whole version.
        case right
        /// It reported failure.
        case refused(Int32)
        /// It reported success, but it did not succeed.
        case wrong
    }

    /// Results that no scenario allows.
    enum Harm: String, CaseIterable, Sendable {
        case wrongFile = "WRONG FILE"
        case noFile = "SUCCESS WITHOUT A FILE"
        case outside = "WROTE OUTSIDE"
        case replaced = "REPLACED WHAT WAS THERE"
        case leaked = "LEAKED"
        case memory = "MEMORY"
        case hung = "HUNG"
    }

    /// A contender with more memory than this is killed.
    static let mostMemory = 512 << 20
    /// More memory than this counts as a harm.
    static let tooMuchMemory = 256 << 20
    /// A command is killed after this time. A normal command takes less than two seconds.
    static let patience = Duration.seconds(12)

    /// Its text in the table.
    var cell: String {
        let harm = harms.map { "**\($0.rawValue)**" }.joined(separator: " ")
        switch result {
        case .right: return harms.isEmpty ? "right" : "right, \(harm)"
        case .refused(let status): return harms.isEmpty ? "refused (\(status))" : harm
        case .wrong: return harm
        }
    }
}

extension Trial {
    /// Runs all commands of the scenario and judges.
    static func verdict(_ scenario: Scenario, _ contender: Contender) async throws -> Verdict {
        var verdict = Verdict()
        try await prepare(scenario, contender) { trial in
            let before = try trial.surroundings()
            for number in scenario.runs.indices {
                let result = try await trial.run(number + 1, within: Verdict.patience)
                trial.judge(result, into: &verdict)
                guard result.overdue == nil else { break }
            }
            if !before.changes(to: try trial.surroundings()).isEmpty { verdict.harms.append(.outside) }
            if !trial.leaks.isEmpty { verdict.harms.append(.leaked) }
        }
        return verdict
    }

    private func judge(_ result: Result, into verdict: inout Verdict) {
        let planted = planted
        let mayGo = Set(scenario.runs.flatMap { $0.left ?? [] }.map(\.name))
        if planted.contains(where: { !mayGo.contains($0.key) && result.tree.entries[$0.key] != $0.value }) {
            verdict.add(.replaced)
        }
        if result.peak > Verdict.tooMuchMemory { verdict.add(.memory) }
        if result.overdue != nil { verdict.add(.hung) }
        guard result.outcome.status == 0 else {
            verdict.result = .refused(result.outcome.status)
            return
        }
        let unfinished = [".part", ".aria2", ".aria2__temp"]
        let files = result.tree.entries.filter { name, entry in
            planted[name] != entry && entry != .directory && !unfinished.contains { name.hasSuffix($0) }
        }
        if files.isEmpty {
            verdict.result = .wrong
            verdict.add(.noFile)
        } else if files.values.allSatisfy(isWhole) {
            verdict.result = .right
        } else {
            verdict.result = .wrong
            verdict.add(.wrongFile)
        }
    }
}

extension Verdict {
    /// Records a harm once.
    mutating func add(_ harm: Harm) {
        if !harms.contains(harm) { harms.append(harm) }
    }
}
