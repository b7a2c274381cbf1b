import FerryCore
import Testing

extension TransferStoreConformance {
    static let queueing: [Behaviour] = [
        Behaviour("knowsAQueueThatWasNeverChanged") { store in
            #expect(try await store.queue(named: "images") == TransferQueue("images"))
            #expect(try await store.queues() == [])
            _ = try await store.addOne("a", queue: "images")
            let expected = QueueSummary(TransferQueue("images"), running: 0, waiting: 1)
            #expect(try await store.queues() == [expected])
        },
        Behaviour("changesOnlyWhatAnEditOfAQueueNames") { store in
            var edit = QueueEdit()
            edit.slots = 3
            edit.rateLimit = try RateLimit(bytesPerSecond: 4096)
            var expected = TransferQueue("images")
            try expected.apply(edit)
            #expect(try await store.edit(queue: "images", edit, at: Sample.start) == expected)
            for step in 0..<4 {
                var next = QueueEdit()
                if step == 0 { next.overflow = .cancelOldest }
                if step == 1 { (next.priority, next.perHost) = (.min, 0) }
                if step == 2 { next.isPaused = true }
                if step == 3 { next.rateLimit = .off }
                try expected.apply(next)
                #expect(try await store.edit(queue: "images", next, at: Sample.start) == expected)
                #expect(try await store.queue(named: "images") == expected)
            }
            #expect(try await store.queues() == [QueueSummary(expected, running: 0, waiting: 0)])
            #expect(try await store.changedQueues() == [expected])
        },
        Behaviour("refusesAQueueThatMeansNothingWhateverItWasBefore") { store in
            try await store.set("images") { ($0.slots, $0.overflow) = (2, .cancelOldest) }
            let before = try await store.queue(named: "images")
            // Each change alone would be valid on another queue.
            let refused: [(StoreError, (inout QueueEdit) -> Void)] = [
                (.refusedQueue(.neverFull), { $0.slots = 0 }),
                (.refusedQueue(.negative), { $0.perHost = -1 }),
            ]
            for (error, change) in refused {
                await #expect(throws: error) { try await store.set("images", change) }
                #expect(try await store.queue(named: "images") == before)
            }
            try await store.set("plain") { $0.slots = 0 }
            await #expect(throws: StoreError.refusedQueue(.neverFull)) {
                try await store.set("plain") { $0.overflow = .cancelOldest }
            }
        },
        Behaviour("removesAQueueInWhichNothingIsUnfinishedAndNoOther") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("images") { ($0.slots, $0.isPaused) = (3, true) }
            let states: [TransferState] = [.queued, .active, .paused, .waiting(.network)]
            for (number, state) in states.enumerated() {
                let name = "q\(number)"
                try await store.set(name) { $0.slots = 2 }
                let before = try await store.changedQueues()
                let transfer = try await store.addOne("\(number)", in: state, owner: owner, queue: name)
                await #expect(throws: TransferQueue.inUse(name, by: transfer.id, state.name)) {
                    try await store.remove(queue: name)
                }
                #expect(try await store.changedQueues() == before)
            }
            // A final transfer has no place in a queue.
            try await store.set("images") { $0.isPaused = false }
            _ = try await store.addOne("over", in: .completed, owner: owner, queue: "images")
            #expect(try await store.remove(queue: "images"))
            #expect(try await store.changedQueues().map(\.name) == ["q0", "q1", "q2", "q3"])
            #expect(try await store.queue(named: "images") == TransferQueue("images"))
            #expect(try await store.remove(queue: "images") == false, "it is not there any more")
        },
        Behaviour("refusesNamesThatNoQueueMayHave") { store in
            let added = try await store.addOne("a")
            for name in ["", "two words", "-x", String(repeating: "n", count: 65)] {
                let refusal = StoreError.refusedQueue(.name(name))
                await #expect(throws: refusal) { try await store.set(name) { $0.isPaused = true } }
                await #expect(throws: refusal) { _ = try await store.addOne("b", queue: name) }
                await #expect(throws: refusal) {
                    var edit = TransferEdit()
                    edit.queue = name
                    _ = try await store.edit(added.id, edit, at: Sample.start)
                }
            }
            #expect(try await store.transfers(.all, after: nil, limit: 9) == [added])
            #expect(try await store.changedQueues() == [])
        },
        Behaviour("runsNoMoreOfAQueueThanItsSlotsOverAllOwners") { store in
            let owners = [
                try await store.join(Sample.process(1), at: Sample.start),
                try await store.join(Sample.process(2), at: Sample.start),
            ]
            try await store.set("narrow") { $0.slots = 2 }
            var ids: [TransferID] = []
            for number in 0..<5 { ids.append(try await store.addOne("\(number)", queue: "narrow").id) }
            let other = try await store.addOne("other")
            let first = try await store.claim(upTo: 1, only: nil, for: owners[0], at: Sample.start)
            #expect(first.map(\.id) == [ids[0]])
            #expect(try await store.claimIDs(upTo: 9, for: owners[1]) == [other.id, ids[1]])
            #expect(try await store.claimIDs(upTo: 9, for: owners[0]) == [])
            #expect(try await store.claimIDs(upTo: 9, only: TransferIDSet(ids), for: owners[1]) == [])
            #expect(try await store.waitsForRoom(owners[0], at: Sample.start))
            let claim = try #require(first[0].claim)
            try await store.settle(
                claim,
                as: Settlement(.completed, progress: DownloadProgress()),
                at: Sample.start
            )
            #expect(try await store.claimIDs(upTo: 9, for: owners[1]) == [ids[2]])
        },
        Behaviour("countsWhatIsHeldAgainstTheSlotsToo") { store in
            let owner = try await store.join(Sample.process(1), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            try await store.set("narrow") { $0.slots = 1 }
            let mine = try await store.addOne("a", holder: owner, queue: "narrow")
            let theirs = try await store.addOne("b", holder: other, queue: "narrow")
            #expect(try await store.claimIDs(upTo: 9, only: [theirs.id], for: other) == [theirs.id])
            #expect(try await store.claimIDs(upTo: 9, only: [mine.id], for: owner) == [])
        },
        Behaviour("changesTheSlotsWhileAQueueRuns") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for number in 0..<6 { _ = try await store.addOne("\(number)", queue: "q") }
            try await store.set("q") { $0.slots = 1 }
            #expect(try await store.claimIDs(upTo: 9, for: owner).count == 1)
            try await store.set("q") { $0.slots = 3 }
            #expect(try await store.claimIDs(upTo: 9, for: owner).count == 2)
            try await store.set("q") { $0.slots = 2 }
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [])
            try await store.set("q") { $0.slots = 0 }
            #expect(try await store.claimIDs(upTo: 9, for: owner).count == 3)
        },
        Behaviour("runsNoMoreToAHostThanAQueueAllowsOverAllQueues") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for queue in ["a", "b"] { try await store.set(queue) { $0.perHost = 2 } }
            var ids: [TransferID] = []
            for (number, queue) in ["a", "b", "a", "a", "b"].enumerated() {
                ids.append(try await store.addOne("\(number)", queue: queue, host: "one.example").id)
            }
            let elsewhere = try await store.addOne("z", queue: "a", host: "two.example").id
            let unbound = try await store.addOne("y", queue: "c", host: "one.example").id
            try await store.set("c") { $0.perHost = 0 }
            let claimed = try await store.claimIDs(upTo: 9, for: owner)
            #expect(Set(claimed) == Set([ids[0], ids[1], elsewhere, unbound]))
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [])
        },
        Behaviour("passesOverAHostThatHasEnough") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("q") { $0.perHost = 1 }
            let full = try await store.addOne("0", queue: "q", host: "full.example")
            #expect(try await store.claimIDs(upTo: 1, for: owner) == [full.id])
            for number in 1..<60 { _ = try await store.addOne("\(number)", queue: "q", host: "full.example") }
            let last = try await store.addOne("last", queue: "q", host: "free.example")
            #expect(try await store.claimIDs(upTo: 3, for: owner) == [last.id])
        },
        Behaviour("leavesWhatAsksAHostThatIsHeldBackInLine") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let (away, near) = ("away.example", "near.example")
            var held: [TransferID] = []
            for number in 0..<40 {
                held.append(try await store.addOne("\(number)", queue: "q", host: away).id)
            }
            let mine = try await store.addOne("mine", holder: owner, queue: "q", host: away)
            let free = try await store.addOne("free", queue: "q", host: near)
            let claimed = try await store.claim(
                upTo: 9,
                only: nil,
                heldBack: HeldBack(hosts: [away]),
                for: owner,
                at: Sample.start
            )
            #expect(claimed.map(\.id) == [free.id])
            for only: TransferIDSet in [[mine.id], TransferIDSet(held)] {
                let none = try await store.claim(
                    upTo: 9,
                    only: only,
                    heldBack: HeldBack(hosts: [away, near]),
                    for: owner,
                    at: Sample.start
                )
                #expect(none == [])
            }
            #expect(try await store.existing(mine.id) == mine, "it is queued as before")
            #expect(
                try await store.waitsForRoom(owner, at: Sample.start),
                "so it is not nothing that is left"
            )
            #expect(try await store.claimIDs(upTo: 2, for: owner) == Array(held.prefix(2)))
        },
        Behaviour("waitsForRoomRatherThanForAMomentThatHasCome") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            _ = try await store.addOne("a", in: .waiting(.retry(at: Sample.start + 5)), owner: owner)
            _ = try await store.addOne("b", in: .waiting(.retry(at: Sample.start + 9)), owner: owner)
            try await store.set(NewTransfer.defaultQueue) { $0.isPaused = true }
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 5) == [])
            #expect(try await store.nextWakeTime(for: owner, after: Sample.start + 5) == Sample.start + 9)
            #expect(try await store.waitsForRoom(owner, at: Sample.start + 5) == false)
            try await store.set(NewTransfer.defaultQueue) { ($0.isPaused, $0.slots) = (false, 1) }
            let running = try await store.addOne("c", priority: 1)
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 6) == [running.id])
            #expect(try await store.nextWakeTime(for: owner, after: Sample.start + 6) == Sample.start + 9)
            #expect(try await store.waitsForRoom(owner, at: Sample.start + 6))
        },
        Behaviour("knowsThatWhatIsDueWaitsForRoomBeforeAnyoneClaims") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            _ = try await store.addOne("a", in: .waiting(.retry(at: Sample.start + 5)), owner: owner)
            #expect(try await store.waitsForRoom(owner, at: Sample.start + 4) == false)
            #expect(try await store.waitsForRoom(owner, at: Sample.start + 5))
            try await store.set(NewTransfer.defaultQueue) { $0.isPaused = true }
            #expect(try await store.waitsForRoom(owner, at: Sample.start + 5) == false)
        },
        Behaviour("startsNothingOfAPausedQueueAndStopsWhatRuns") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("a", queue: "q")
            let (_, claim) = try await store.claimOne(first.id, for: owner)
            let second = try await store.addOne("b", queue: "q")
            let elsewhere = try await store.addOne("c", queue: "r")
            try await store.set("q") { $0.isPaused = true }
            #expect(try await store.existing(first.id).wish == .reload, "its owner stops it and queues it")
            try await store.settle(
                claim,
                as: Settlement(.queued, progress: DownloadProgress()),
                at: Sample.start
            )
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [elsewhere.id])
            #expect(try await store.claimIDs(upTo: 9, only: [second.id], for: owner) == [])
            #expect(try await store.waitsForRoom(owner, at: Sample.start) == false)
            try await store.set("q") { $0.isPaused = false }
            #expect(try await store.waitsForRoom(owner, at: Sample.start))
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [first.id, second.id])
        },
    ]
}

extension TransferStore {
    /// Changes a queue.
    func set(_ queue: String, _ change: (inout QueueEdit) -> Void) async throws {
        var edit = QueueEdit()
        change(&edit)
        _ = try await self.edit(queue: queue, edit, at: Sample.start)
    }

    /// Adds one transfer to a queue.
    func addOne(
        _ name: String,
        priority: Int = 0,
        holder: OwnerID? = nil,
        queue: String,
        host: String = "example.com",
        after others: [TransferID] = [],
        at now: Instant = Sample.start
    ) async throws -> Transfer {
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "https://\(host)/\(name)"),
            destination: .file(directory: "/downloads", name: nil)
        )
        let new = NewTransfer(specification, queue: queue, priority: priority, after: others)
        return try #require(try await add([new], holder: holder, at: now).first).transfer
    }
}
