import Foundation

/// A Markdown table of the verdicts on each contender in each scenario.
struct PeerTable: Sendable {
    /// The path of the table; `nil` if no table is wanted.
    static let output = ProcessInfo.processInfo.environment["FERRY_PEERS"]

    var contenders: [Contender]
    var scenarios: [Scenario]
    var verdicts: [String: [Contender: Verdict]]

    /// How often each contender was right, refused, and did each harm. One scenario can count for several harms.
    var totals: String {
        var rows = [row(["of \(scenarios.count) scenarios"] + contenders.map(\.rawValue)), rule]
        rows.append(row(["right"] + contenders.map { count($0) { $0.result == .right && $0.harms.isEmpty } }))
        rows.append(
            row(["refused, no harm"] + contenders.map { count($0) { $0.isRefusal && $0.harms.isEmpty } })
        )
        for harm in Verdict.Harm.allCases {
            rows.append(row([harm.rawValue] + contenders.map { count($0) { $0.harms.contains(harm) } }))
        }
        return rows.joined(separator: "\n")
    }

    /// The totals and one row for each scenario.
    var markdown: String {
        var rows = [row(["scenario"] + contenders.map(\.rawValue)), rule]
        for scenario in scenarios {
            rows.append(row([scenario.name] + contenders.map { verdicts[scenario.name]?[$0]?.cell ?? "" }))
        }
        return totals + "\n\n## Each scenario\n\n" + rows.joined(separator: "\n") + "\n"
    }

    private var rule: String { row(Array(repeating: "---", count: contenders.count + 1)) }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private func count(_ contender: Contender, _ condition: (Verdict) -> Bool) -> String {
        String(verdicts.values.compactMap { $0[contender] }.count(where: condition))
    }
}

extension Verdict {
    fileprivate var isRefusal: Bool {
        if case .refused = result { true } else { false }
    }
}
