import FerryCore
import Testing

extension TransferStoreConformance {
    static let ordering: [Behaviour] = [
        Behaviour("countsAnHourOfWaitingAsOneStepOfPriority") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let hour = LinePlace.step
            let old = try await store.addOne("old", queue: "q")
            let urgent = try await store.addOne("urgent", priority: 2, queue: "q", at: Sample.start + hour)
            let late = try await store.addOne(
                "late",
                priority: 2,
                queue: "q",
                at: Sample.start + (2 * hour + 1)
            )
            let same = try await store.addOne("same", priority: 0, queue: "q", at: Sample.start + 1)
            let order = try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 3 * hour)
            #expect(order == [urgent, old, late, same].map(\.id))
        },
        Behaviour("keepsTheOrderOfAddingWhenTheClockGoesBack") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("a", at: Sample.start + 50_000_000)
            let second = try await store.addOne("b", at: Sample.start)
            let third = try await store.addOne("c", at: Sample.start + 1)
            let urgent = try await store.addOne("d", priority: 1, at: Sample.start + 2)
            let order = try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 3)
            #expect(order == [urgent, first, second, third].map(\.id))
        },
        Behaviour("takesTurnsBetweenQueuesHoweverLongTheyAre") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            var long: [TransferID] = []
            for number in 0..<30 { long.append(try await store.addOne("l\(number)", queue: "long").id) }
            var short: [TransferID] = []
            for number in 0..<3 {
                short.append(try await store.addOne("s\(number)", queue: "short", at: Sample.start + 5).id)
            }
            var order: [TransferID] = []
            // One at a time and several at once: the store remembers the same between claims.
            for (number, limit) in [1, 2, 1, 3].enumerated() {
                order += try await store.claimIDs(
                    upTo: limit,
                    for: owner,
                    at: Sample.start + Int64(number + 10)
                )
            }
            #expect(order == [long[0], short[0], long[1], short[1], long[2], short[2], long[3]])
        },
        Behaviour("takesTurnsAlsoAfterTheClockWasAhead") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("first", queue: "a", at: Sample.start + 50_000_000)
            var ids: [String: [TransferID]] = ["a": [first.id], "b": []]
            for number in 0..<3 {
                for queue in ["a", "b"] {
                    let transfer = try await store.addOne("\(queue)\(number)", queue: queue)
                    ids[queue, default: []].append(transfer.id)
                }
            }
            var order: [TransferID] = []
            for limit in [1, 3, 1, 1] {
                order += try await store.claimIDs(upTo: limit, for: owner, at: Sample.start + 10)
            }
            let (a, b) = (try #require(ids["a"]), try #require(ids["b"]))
            #expect(order == [a[0], b[0], a[1], b[1], a[2], b[2]])
        },
        Behaviour("servesAQueueOfHigherPriorityFirstButStarvesNone") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("high") { ($0.priority, $0.slots, $0.perHost) = (1, 0, 0) }
            var high: [TransferID] = []
            for number in 0..<9 { high.append(try await store.addOne("h\(number)", queue: "high").id) }
            let low = try await store.addOne("l", queue: "low", at: Sample.start)
            #expect(try await store.claimIDs(upTo: 3, for: owner, at: Sample.start + 9) == Array(high[..<3]))
            let later = Sample.start + (LinePlace.step - 1)
            #expect(try await store.claimIDs(upTo: 1, for: owner, at: later) == [high[3]])
            #expect(
                try await store.claimIDs(upTo: 3, for: owner, at: later + 5) == [high[4], low.id, high[5]]
            )
        },
        Behaviour("drawsFromTwoHostsAndThreePrioritiesInTheDocumentedOrder") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("q") { ($0.slots, $0.perHost) = (0, 2) }
            var ids: [String: TransferID] = [:]
            for (name, host, priority) in [
                ("a0", "a", 0), ("a1", "a", 0), ("a2", "a", 1), ("a3", "a", -1), ("b0", "b", 0),
                ("a4", "a", 1), ("b1", "b", -1), ("b2", "b", 1),
            ] {
                ids[name] =
                    try await store.addOne(name, priority: priority, queue: "q", host: "\(host).example").id
            }
            // Each host runs two at once: of a, the two of the highest priority, then b's in their order.
            let first = try await store.claim(upTo: 9, only: nil, for: owner, at: Sample.start)
            #expect(first.map(\.id) == ["a2", "a4", "b2", "b0"].map { ids[$0] })
            // The end of a transfer frees a slot only for the next transfer to its host.
            for (ended, next) in [(0, "a0"), (2, "b1"), (1, "a1")] {
                let claim = try #require(first[ended].claim)
                let settlement = Settlement(.completed, progress: DownloadProgress())
                try await store.settle(claim, as: settlement, at: Sample.start)
                #expect(try await store.claimIDs(upTo: 9, for: owner) == [ids[next]])
            }
        },
        Behaviour("changesPlacesWithAnEditOfPriorityAndQueue") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("paused") { $0.isPaused = true }
            let first = try await store.addOne("a", queue: "paused")
            let second = try await store.addOne("b", queue: "q")
            let third = try await store.addOne("c", queue: "q")
            var edit = TransferEdit()
            edit.queue = "q"
            #expect(try await store.edit(first.id, edit, at: Sample.start).queue == "q")
            edit.queue = "paused"
            _ = try await store.edit(second.id, edit, at: Sample.start)
            edit = TransferEdit()
            edit.priority = 1
            _ = try await store.edit(third.id, edit, at: Sample.start)
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [third.id, first.id])
            #expect(try await store.existing(second.id).queue == "paused")
        },
    ]
}
