import FerryCore
import FerryTesting
import Foundation
import Metrics
import MetricsTestKit
import Testing

@testable import Ferry

/// The article about metrics names what the engine emits, and nothing else.
@Suite("Metrics", .timeLimit(.minutes(10)))
struct MetricTests {
    /// The metrics of the article, by their names: the dimension of each, or "none".
    private static func documented() throws -> [String: String] {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
            .joined(separator: "/")
        let article = try String(
            contentsOfFile: "\(root)/Sources/Ferry/Ferry.docc/Metrics.md",
            encoding: .utf8
        )
        let rows = article.split(separator: "\n").filter { $0.hasPrefix("| `ferry_") }
        let metrics = rows.map { row in
            let cells = row.split(separator: "|").map { cell in
                String(cell.filter { $0 != "`" && $0 != " " })
            }
            return (cells[0], cells[2])
        }
        return Dictionary(uniqueKeysWithValues: metrics)
    }

    /// What an engine emits while it brings one file in two attempts and finds that another one does not exist.
    private func emitted() async throws -> TestMetrics {
        let bench = try Bench()
        let missing = try HTTPURL(parsing: "http://origin.example/missing.bin")
        bench.transport.order(.breakAfter(4_000), at: bench.url)
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) {
            let engine = bench.engine(.everything(untilDrained: false))
            try await bench.running(engine) {
                let handle = try await engine.download(from: bench.url, to: bench.destination)
                try await bench.advance { try await handle.snapshot.state == .completed }
                let other = try await engine.download(from: missing, to: .file(directory: "/d", name: nil))
                _ = await #expect(throws: TransferFailure.self) { try await other.value() }
            }
        }
        return metrics
    }

    @Test("every metric of the article is emitted with its dimension, and no other")
    func articleIsComplete() async throws {
        let metrics = try await emitted()
        #expect(metrics.meters.isEmpty && metrics.recorders.isEmpty && metrics.timers.isEmpty)
        let documented = try Self.documented()
        #expect(Set(metrics.counters.map(\.label)) == Set(documented.keys))
        for counter in metrics.counters {
            let dimension = counter.dimensions.first?.0 ?? "none"
            #expect(dimension == documented[counter.label])
            #expect(counter.dimensions.count <= 1)
        }
    }

    @Test("attempts are counted by the states that they end in, and each received byte once")
    func countsAttemptsAndBytes() async throws {
        let metrics = try await emitted()
        for state in ["waiting", "completed", "failed"] {
            let counter = try metrics.expectCounter("ferry_attempts_total", [("state", state)])
            #expect(counter.totalValue == 1, "\(state)")
        }
        #expect(metrics.counterTotal(label: "ferry_attempts_total") == 3)
        #expect(metrics.counterTotal(label: "ferry_received_bytes_total") == 10_000)
    }

    @Test("each counter is made once, when it is first needed")
    func makesEachCounterOnce() {
        let (metrics, backend) = (EngineMetrics(), TestMetrics())
        withMetricsFactory(backend) {
            metrics.count(.completed)
            metrics.count(receivedBytes: 7)
            #expect(backend.counters.count == 2)
            // From now on the backend knows only the counters that are made anew.
            backend.reset()
            metrics.count(.completed)
            metrics.count(receivedBytes: 7)
        }
        #expect(backend.counters.isEmpty)
    }
}
