import FerryCore
import FerrySQLite

extension QueueLoad {
    private static let page = 100
    private static let repeats = 21

    /// Lists pages from several places, counts, and asks what an engine asks.
    mutating func look(_ count: Int) async throws {
        let store = store
        let places = [0, count / 2, count - Self.page].map { TransferID(rawValue: Int64($0)) }
        for (name, filter) in [
            ("all", TransferFilter.all), ("unfinished", .unfinished), ("queued", .state(.queued)),
        ] {
            var times: [Duration] = []
            for place in places {
                times += try await Self.times {
                    _ = try await store.transfers(filter, after: place, limit: Self.page)
                }
            }
            figures.set("page of \(name)", spread: times)
        }
        figures.set("count", spread: try await Self.times { _ = try await store.counts() })
        let owner = OwnerID(rawValue: 1)
        figures.set("wake", spread: try await Self.times { _ = try await store.nextWakeTime(for: owner) })
    }

    private static func times(_ work: () async throws -> Void) async throws -> [Duration] {
        var times: [Duration] = []
        for _ in 0..<repeats {
            let begin = ContinuousClock.now
            try await work()
            times.append(begin.duration(to: .now))
        }
        return times
    }

    /// Forgets all but some of what is over, in steps as an engine does.
    mutating func prune(_ kept: Int) async throws {
        var steps: [Duration] = []
        var pruned = 0
        let begin = ContinuousClock.now
        while true {
            let start = ContinuousClock.now
            let forgotten = try await store.prune(Retention(age: nil, count: kept), upTo: 200, at: Self.now)
            steps.append(start.duration(to: .now))
            pruned += forgotten.count
            if forgotten.count < 200 { break }
        }
        figures.set("pruned", Double(pruned))
        figures.set("wall", begin.duration(to: .now) / .seconds(1))
        figures.set("step", spread: steps)
    }
}
