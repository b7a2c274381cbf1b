import Foundation
import Testing

/// The same scenarios for Ferry and its peers. scripts/hostile runs this and keeps the table.
@Suite("Peers", .enabled(if: PeerTable.output != nil, "scripts/hostile compares with peers"))
struct PeerTests {
    /// How many scenarios run at once.
    static let lanes = 8

    @Test("the table has a verdict for each contender and scenario")
    func table() async throws {
        let scenarios = try Scenario.all.get()
        let contenders = Contender.allCases.filter { $0.path != nil }
        var verdicts: [String: [Contender: Verdict]] = [:]
        try await withThrowingTaskGroup(of: (Scenario, [Contender: Verdict]).self) { group in
            var waiting = scenarios[...]
            func next() {
                guard let scenario = waiting.popFirst() else { return }
                group.addTask { (scenario, try await Self.verdicts(scenario, contenders)) }
            }
            for _ in 0..<Self.lanes { next() }
            for try await (scenario, row) in group {
                verdicts[scenario.name] = row
                let cells = contenders.map { "\($0.rawValue) \(row[$0]?.cell ?? "")" }
                print("\(scenario.name): \(cells.joined(separator: ", "))")
                next()
            }
        }
        let table = PeerTable(contenders: contenders, scenarios: scenarios, verdicts: verdicts)
        try table.markdown.write(toFile: try #require(PeerTable.output), atomically: true, encoding: .utf8)
        print(table.totals)
    }

    /// Runs the contenders one after the other, so that they do not slow each other down.
    private static func verdicts(
        _ scenario: Scenario,
        _ contenders: [Contender]
    ) async throws -> [Contender: Verdict] {
        var row: [Contender: Verdict] = [:]
        for contender in contenders { row[contender] = try await Trial.verdict(scenario, contender) }
        return row
    }
}
