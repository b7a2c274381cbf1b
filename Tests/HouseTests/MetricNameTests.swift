import Testing

/// Code that no test of the engine reaches may emit a metric, too.
@Suite("Names of metrics")
struct MetricNameTests {
    /// The names that stand behind a text.
    static func names(in lines: [String], after opening: String) -> Set<String> {
        Set(
            lines.flatMap { line in
                line.ranges(of: opening).map { range in
                    String(line[range.upperBound...].prefix { $0 == "_" || $0.isLetter || $0.isNumber })
                }
            }
        )
    }

    @Test("the article about metrics names exactly those in the sources")
    func articleNamesThoseOfTheSources() throws {
        let article = try #require(SourceFile(path: "Sources/Ferry/Ferry.docc/Metrics.md"))
        let rows = article.lines.filter { $0.hasPrefix("| `ferry_") }
        let documented = Self.names(
            in: rows.compactMap { $0.split(separator: " | ").first.map(String.init) },
            after: "| `"
        )
        let sources = House.sources.filter { $0.target != "FerryTesting" }
        let lines = sources.flatMap(\.code).map { $0.text }.filter { $0.contains("\"ferry_") }
        let emitted = Self.names(in: lines, after: "label: \"")
        #expect(documented == emitted)
        let makers = [
            "Counter(", "FloatingPointCounter(", "Gauge(", "Meter(", "Recorder(", "Timer(", "makeCounter(",
        ]
        let files = sources.filter { file in
            file.code.contains { $0.text == "import Metrics" }
        }
        let made = files.flatMap { file in makers.flatMap { file.mentions(of: $0) } }
        #expect(made.count == documented.count, "\(made.joined(separator: "\n"))")
    }
}
