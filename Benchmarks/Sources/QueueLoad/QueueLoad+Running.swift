import FerryCore
import FerrySQLite

extension QueueLoad {
    /// Adds transfers in batches, each of which survives power loss.
    ///
    /// What is asked for is made beforehand, batch by batch: to read URLs is not the store's work.
    mutating func add(_ crowd: Crowd, _ count: Int) async throws {
        var inStore = Duration.zero
        var longest = Duration.zero
        let begin = ContinuousClock.now
        for first in stride(from: 0, to: count, by: Self.batch) {
            let numbers = first..<min(first + Self.batch, count)
            let new = try numbers.map { try crowd.transfer($0, of: count) }
            let submitted = ContinuousClock.now
            let additions = try await store.add(new, holder: nil, at: Self.now)
            let time = submitted.duration(to: .now)
            precondition(additions.count == new.count)
            inStore += time
            longest = max(longest, time)
        }
        figures.set("added", Double(count))
        figures.set("wall", begin.duration(to: .now) / .seconds(1))
        figures.set("in store", inStore / .seconds(1))
        figures.set("longest batch", longest / .seconds(1))
    }

    /// Claims and completes alone, and tells how long each claim took.
    mutating func claim(_ crowd: Crowd, rounds: Int) async throws {
        let owner = try await join()
        try await crowd.fillSlots(store, for: owner)
        var claims: [Duration] = []
        for _ in 0..<rounds {
            let begin = ContinuousClock.now
            let claimed = try await store.claim(upTo: Self.slots, only: nil, for: owner, at: Self.now)
            claims.append(begin.duration(to: .now))
            precondition(!claimed.isEmpty, "there was nothing to claim")
            try await settle(claimed)
        }
        figures.set("claim", spread: claims)
        _ = try await store.remove(owner, at: Self.now)
    }

    /// Claims and completes transfers, beside other processes that do so too, until it has had its share.
    mutating func complete(_ count: Int) async throws {
        let owner = try await join()
        var claims: [Duration] = []
        var settlements: [Duration] = []
        var completed = 0
        let start = ContinuousClock.now
        while completed < count {
            let begin = ContinuousClock.now
            let claimed = try await store.claim(upTo: Self.slots, only: nil, for: owner, at: Self.now)
            let middle = ContinuousClock.now
            guard !claimed.isEmpty else { break }
            try await settle(claimed)
            claims.append(begin.duration(to: middle))
            settlements.append(middle.duration(to: .now))
            completed += claimed.count
        }
        figures.set("completed", Double(completed))
        figures.set("wall", start.duration(to: .now) / .seconds(1))
        figures.set("claim", spread: claims)
        figures.set("settle", spread: settlements)
        _ = try await store.remove(owner, at: Self.now)
    }
}
