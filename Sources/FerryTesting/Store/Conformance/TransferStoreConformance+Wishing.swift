import FerryCore
import Testing

/// Among the wishes of several processes for one transfer, the newest counts.
extension TransferStoreConformance {
    static let wishing: [Behaviour] = [
        Behaviour("addsWhatIsAskedToStop") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            for (number, wish) in stops.enumerated() {
                for holder in [nil, other] {
                    let name = "\(number)-\(holder == nil)"
                    let active = try await store.addOne(name, in: .active, owner: owner)
                    _ = try await store.ask(wish, of: active.id, at: Sample.start + 1)
                    let again = try await store.addOne(name, holder: holder, at: Sample.start + 2)
                    #expect(again.id == active.id && again.state == .active && again.wish == nil)
                    try await Self.expectQueuedAfterStop(again, wish, in: store)
                }
            }
        },
        Behaviour("resumesWhatIsAskedToStop") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, wish) in stops.enumerated() {
                let active = try await store.addOne("\(number)", in: .active, owner: owner)
                _ = try await store.ask(wish, of: active.id, at: Sample.start + 1)
                let again = try await store.requeue(active.id, holder: nil, at: Sample.start + 2)
                #expect(again.state == .active && again.wish == nil)
                try await Self.expectQueuedAfterStop(again, wish, in: store)
            }
        },
        Behaviour("addsWhatIsPaused") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let paused = try await store.addOne("file", in: .paused, owner: owner)
            let again = try await store.addOne("file", at: Sample.start + 1)
            #expect(again.id == paused.id && again.state == .queued)
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 2) == [paused.id])
        },
        Behaviour("keepsWhatGivesWayAndIsAddedAgain") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            var edit = QueueEdit()
            (edit.slots, edit.overflow) = (1, .cancelOldest)
            _ = try await store.edit(queue: "q", edit, at: Sample.start)
            let first = try await store.addOne("a", in: .active, owner: owner, queue: "q")
            _ = try await store.addOne("b", queue: "q", at: Sample.start + 1)
            #expect(try await store.existing(first.id).wish == .cancel(keepingPart: false))
            let again = try await store.addOne("a", queue: "q", at: Sample.start + 2)
            #expect(again.id == first.id && again.wish == nil && again.latestFailure == nil)
            try await Self.expectQueuedAfterStop(again, .cancel(keepingPart: false), in: store)
        },
        Behaviour("givesBackToTheQueueWhatWasAddedToIt") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let running = try await store.addOne("running", holder: owner)
            let waiting = try await store.addOne("waiting", holder: owner)
            let own = try await store.addOne("own", holder: owner)
            let claim = try await store.claimOne(running.id, for: owner).claim
            for name in ["running", "waiting"] { _ = try await store.addOne(name, at: Sample.start + 1) }
            let left = Settlement(.queued, progress: DownloadProgress(), isLeft: true)
            let settled = try await store.settle(claim, as: left, at: Sample.start + 2)
            #expect(settled.state == .queued && settled.claim == nil)
            let held = try await store.pauseHeld([waiting.id, own.id], by: owner, at: Sample.start + 2)
            #expect(held.map(\.state) == [.queued, .paused] && held.allSatisfy { $0.claim == nil })
            #expect(try await store.claimIDs(upTo: 9, for: other) == [running.id, waiting.id])
        },
        Behaviour("remembersWhatIsForTheQueue") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            #expect(try await store.existing(store.addOne("a").id).isForQueue)
            let held = try await store.addOne("b", holder: owner)
            #expect(try await !store.existing(held.id).isForQueue)
            _ = try await store.addOne("b")
            #expect(try await store.existing(held.id).isForQueue)
            _ = try await store.ask(.pause, of: held.id, at: Sample.start)
            #expect(try await !store.existing(held.id).isForQueue)
            _ = try await store.requeue(held.id, holder: owner, at: Sample.start)
            #expect(try await !store.existing(held.id).isForQueue)
            _ = try await store.requeue(held.id, holder: nil, at: Sample.start)
            #expect(try await store.existing(held.id).isForQueue)
        },
    ]

    private static let stops: [Wish] = [.pause, .cancel(keepingPart: false), .cancel(keepingPart: true)]

    /// The attempt had obeyed `wish` before the wish was withdrawn: the transfer is queued again.
    private static func expectQueuedAfterStop(
        _ active: Transfer,
        _ wish: Wish,
        in store: any TransferStore
    ) async throws {
        let claim = try #require(active.claim)
        let obeyed = Settlement(wish.isCancel ? .cancelled : .queued, progress: DownloadProgress())
        let settled = try await store.settle(claim, as: obeyed, at: Sample.start + 3)
        #expect(settled.state == .queued && settled.claim == nil && settled.wish == nil, "\(wish)")
        #expect(try await store.existing(active.id) == settled)
    }
}
