import Ferry
import Testing

@testable import FerryCLI

/// `ferry list` measures the speeds of transfers that other processes run.
@Suite struct ListedSpeedsTests {
    private let start = Instant(seconds: 1_800_000_000)

    /// What a process has recorded at each look, and what came of the looks.
    private struct Measurement {
        var speeds: ListedSpeeds
        var looks = 0
        var waits: [Duration] = []
    }

    /// Measures a transfer that has these bytes at each look, and the last of them from then on; `nil` when it does not run.
    private func measure(_ recorded: [Int64?]) async throws -> Measurement {
        var measurement = Measurement(speeds: ListedSpeeds())
        var now = start
        let speeds = try await ListedSpeeds.measured(
            {
                let received = recorded[min(measurement.looks, recorded.count - 1)]
                measurement.looks += 1
                return try received.map { [try Sample.transfer(received: $0, length: 100_000)] } ?? []
            },
            clock: { now },
            wait: { pause in
                measurement.waits.append(pause)
                now = now.advanced(by: pause)
            }
        )
        measurement.speeds = speeds
        return measurement
    }

    private func speed(_ measurement: Measurement) throws -> Double? {
        measurement.speeds.progress(of: try Sample.transfer(received: 1, length: 100_000)).bytesPerSecond
    }

    @Test func takesNoTimeIfNothingRuns() async throws {
        let measurement = try await measure([nil])
        #expect(measurement.looks == 1 && measurement.waits.isEmpty)
        #expect(try speed(measurement) == nil)
    }

    /// The first figure may have been recorded long before the first look.
    @Test func measuresBetweenTwoChanges() async throws {
        let recorded: [Int64] = [10_000, 10_000, 50_000, 50_000, 50_000, 50_000, 54_000]
        let measurement = try await measure(recorded)
        #expect(measurement.looks == 7 && measurement.waits.count == 6)
        #expect(try speed(measurement) == 10_000)
    }

    @Test func givesUpOnATransferThatReceivesNothing() async throws {
        let measurement = try await measure([10_000])
        #expect(measurement.looks == ListedSpeeds.mostLooks)
        #expect(measurement.waits == Array(repeating: ListedSpeeds.pause, count: ListedSpeeds.mostLooks - 1))
        #expect(try speed(measurement) == nil)
    }

    @Test func stopsWhenTheTransferHasEnded() async throws {
        let measurement = try await measure([10_000, 20_000, nil])
        #expect(measurement.looks == 3)
        #expect(try speed(measurement) == nil)
    }

    @Test func aTransferThatNoLongerRunsHasNoSpeed() async throws {
        let measurement = try await measure([1, 2, 3])
        #expect(try speed(measurement) == 10)
        let paused = try Sample.transfer(state: .paused, received: 3, length: 100_000)
        #expect(measurement.speeds.progress(of: paused) == paused.recordedProgress)
    }

    @Test func looksLongEnoughForTwoRecords() {
        let time = ListedSpeeds.pause * (ListedSpeeds.mostLooks - 1)
        #expect(time >= EngineConfiguration(dataDirectory: "/unused").recordInterval * 3)
    }
}
