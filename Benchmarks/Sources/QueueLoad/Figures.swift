import Foundation

/// What was measured, as one line of JSON for the process that started this one.
struct Figures {
    private var values: [String: Double] = [:]

    /// Keeps a number.
    mutating func set(_ name: String, _ value: Double) {
        values[name] = value
    }

    /// Keeps how long something took, in seconds; returns what it gave.
    mutating func time<Value>(_ name: String, _ work: () async throws -> Value) async throws -> Value {
        let begin = ContinuousClock.now
        let value = try await work()
        values[name] = begin.duration(to: .now) / .seconds(1)
        return value
    }

    /// Keeps the median, the 99th percentile and the longest of some durations, in seconds.
    mutating func set(_ name: String, spread durations: [Duration]) {
        guard !durations.isEmpty else { return }
        let sorted = durations.sorted()
        set("\(name) p50", sorted[sorted.count / 2] / .seconds(1))
        set("\(name) p99", sorted[sorted.count * 99 / 100] / .seconds(1))
        set("\(name) max", sorted[sorted.count - 1] / .seconds(1))
    }

    /// Tells all of them.
    func tell() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        print(String(decoding: try encoder.encode(values), as: UTF8.self))
    }
}
