import FerryCore
import Testing

extension TransferStoreConformance {
    static let overflowing: [Behaviour] = [
        Behaviour("letsTheOldestRunningOneGiveWayInAFullQueueThatCancelsIt") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("images") { ($0.slots, $0.overflow) = (2, .cancelOldest) }
            let first = try await store.addOne("a", queue: "images")
            let (_, claim) = try await store.claimOne(first.id, for: owner)
            let second = try await store.addOne("b", queue: "images")
            #expect(try await store.existing(first.id).wish == nil, "there was room for two")
            _ = try await store.claimOne(second.id, for: owner)
            let third = try await store.addOne("c", queue: "images", at: Sample.start + 1)
            let displaced = try await store.existing(first.id)
            #expect(displaced.wish == .cancel(keepingPart: false) && displaced.state == .active)
            #expect(try await store.existing(second.id).wish == nil)
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [], "it starts when the other has ended")
            let released = Settlement(
                .waiting(.retry(at: Sample.start + 9)),
                progress: DownloadProgress(),
                failure: Sample.failure
            )
            try await store.settle(claim, as: released, at: Sample.start + 2)
            let cancelled = try await store.existing(first.id)
            #expect(cancelled.state == .cancelled && cancelled.latestFailure?.code == .gaveWay)
            #expect(cancelled.latestFailure?.message.contains("transfer \(third.id)") == true)
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [third.id])
        },
        Behaviour("startsTheNewestBeforeThoseThatWait") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("images") { ($0.slots, $0.overflow) = (2, .cancelOldest) }
            var ids: [TransferID] = []
            for number in 0..<5 { ids.append(try await store.addOne("\(number)", queue: "images").id) }
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [ids[4], ids[3]])
            // As many transfers give way as were added, even before the first of them has ended.
            let newer = [
                try await store.addOne("x", queue: "images"), try await store.addOne("y", queue: "images"),
                try await store.addOne("z", queue: "images"),
            ]
            for id in ids[3...] { #expect(try await store.existing(id).wish?.isCancel == true) }
            for id in ids[..<3] { #expect(try await store.existing(id).state == .queued) }
            for id in ids[3...] {
                let claim = try #require(try await store.existing(id).claim)
                let settlement = Settlement(.cancelled, progress: DownloadProgress())
                try await store.settle(claim, as: settlement, at: Sample.start)
            }
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [newer[2].id, newer[1].id])
        },
        Behaviour("givesTheRoomThatWasMadeToTheNewcomerRatherThanToTheNextQueue") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("images") { ($0.slots, $0.overflow) = (2, .cancelOldest) }
            try await store.set("bulk") { ($0.slots, $0.perHost) = (0, 0) }
            for number in 0..<20 { _ = try await store.addOne("bulk\(number)", queue: "bulk") }
            for name in ["a", "b"] { _ = try await store.addOne(name, queue: "images") }
            // In the order of turns, the next one is not the images queue's.
            let claimed = try await store.claim(upTo: 4, only: nil, for: owner, at: Sample.start)
            #expect(claimed.map(\.queue) == ["bulk", "images", "bulk", "images"])
            let shown = claimed.filter { $0.queue == "images" }
            let newer = [
                try await store.addOne("c", queue: "images"), try await store.addOne("d", queue: "images"),
                try await store.addOne("e", queue: "images"),
            ]
            // Each end frees a slot for one transfer.
            for (ended, next) in zip(shown, [newer[2], newer[1]]) {
                let claim = try #require(ended.claim)
                let settlement = Settlement(.cancelled, progress: DownloadProgress())
                try await store.settle(claim, as: settlement, at: Sample.start + 1)
                #expect(try await store.claimIDs(upTo: 1, for: owner, at: Sample.start + 2) == [next.id])
            }
            // No further slot was freed: the third transfer waits for a slot of its queue, and then for its turn.
            let last = try await store.claim(upTo: 2, only: nil, for: owner, at: Sample.start + 3)
            #expect(last.map(\.queue) == ["bulk", "bulk"])
        },
        Behaviour("takesTurnsWithOthersWhereNothingHadToGiveWay") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("images") { ($0.slots, $0.overflow) = (4, .cancelOldest) }
            for number in 0..<9 { _ = try await store.addOne("bulk\(number)", queue: "bulk") }
            for number in 0..<9 { _ = try await store.addOne("image\(number)", queue: "images") }
            let claimed = try await store.claim(upTo: 6, only: nil, for: owner, at: Sample.start + 1)
            #expect(claimed.count { $0.queue == "bulk" } == 3)
        },
        Behaviour("goesBeforeTheOthersOnlyInThatQueueAndUntilItIsStopped") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("images") { ($0.slots, $0.overflow) = (1, .cancelOldest) }
            let first = try await store.addOne("first", queue: "images")
            let moved = try await store.addOne("moved", queue: "images")
            let paused = try await store.addOne("paused", queue: "images")
            let urgent = try await store.addOne("urgent", priority: 9, queue: "other")
            var edit = TransferEdit()
            edit.queue = "other"
            _ = try await store.edit(moved.id, edit, at: Sample.start)
            #expect(
                try await store.claimIDs(upTo: 1, only: [moved.id, urgent.id], for: owner) == [urgent.id]
            )
            _ = try await store.ask(.pause, of: paused.id, at: Sample.start)
            _ = try await store.requeue(paused.id, holder: nil, at: Sample.start)
            #expect(try await store.claimIDs(upTo: 1, only: [first.id, paused.id], for: owner) == [first.id])
        },
        Behaviour("displacesNothingInAQueueThatWaitsOrHasRoom") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("waits") { $0.slots = 1 }
            try await store.set("roomy") { ($0.slots, $0.overflow) = (5, .cancelOldest) }
            for queue in ["waits", "roomy"] {
                let first = try await store.addOne("a-\(queue)", queue: queue)
                let (active, _) = try await store.claimOne(first.id, for: owner)
                _ = try await store.addOne("b-\(queue)", queue: queue)
                // Adding the same again adds no new transfer.
                _ = try await store.addOne("b-\(queue)", queue: queue)
                #expect(try await store.existing(first.id) == active)
            }
        },
        Behaviour("keepsAnEndThatWasAskedForBefore") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("images") { ($0.slots, $0.overflow) = (1, .cancelOldest) }
            let first = try await store.addOne("a", queue: "images")
            _ = try await store.claimOne(first.id, for: owner)
            let asked = try await store.ask(.cancel(keepingPart: true), of: first.id, at: Sample.start)
            _ = try await store.addOne("b", queue: "images")
            #expect(try await store.existing(first.id) == asked)
        },
        Behaviour("completesWhatWasToGiveWayAndHadCome") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("images") { ($0.slots, $0.overflow) = (1, .cancelOldest) }
            let first = try await store.addOne("a", queue: "images")
            let (_, claim) = try await store.claimOne(first.id, for: owner)
            _ = try await store.addOne("b", queue: "images")
            let settlement = Settlement(.completed, progress: DownloadProgress())
            let settled = try await store.settle(claim, as: settlement, at: Sample.start)
            #expect(settled.state == .completed && settled.latestFailure == nil)
        },
    ]
}
