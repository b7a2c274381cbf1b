import FerryCore
import Testing

/// Queues that run first in, first out, even when the first one waits or fails.
extension TransferStoreConformance {
    static let strictness: [Behaviour] = [
        Behaviour("runsAStrictQueueFirstInFirstOutAlsoUnderRetry") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.setStrict("q")
            let first = try await store.addOne("a", queue: "q")
            let second = try await store.addOne("b", queue: "q")
            let claim = try await store.claimOne(first.id, for: owner).claim
            try await store.settle(
                claim,
                as: Settlement(.waiting(.retry(at: Sample.start + 900)), progress: DownloadProgress()),
                at: Sample.start
            )
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 899) == [])
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 900) == [first.id])
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 901) == [])
            try await store.end(first.id, as: .completed)
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 902) == [second.id])
        },
        Behaviour("holdsAStrictQueueByWhateverItsFirstWaitsFor") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() {
                let name = "q\(number)"
                try await store.setStrict(name)
                let first = try await store.addOne("\(number)-first", in: state, owner: owner, queue: name)
                let second = try await store.addOne("\(number)-second", queue: name)
                let isOver = state == .completed || state == .cancelled
                let next = isOver ? [second.id] : state == .queued ? [first.id] : []
                let claimed = try await store.claimIDs(
                    upTo: 9,
                    only: [first.id, second.id],
                    for: owner,
                    at: Sample.start + 1
                )
                #expect(claimed == next, "\(state)")
                #expect(try await store.claimIDs(upTo: 9, only: [second.id], for: owner) == [])
                let summary = try await store.queues().first { $0.id == name }
                let moves = isOver || state.movesItsLine
                #expect(summary?.heldBy == (moves ? nil : first.id), "\(state)")
                guard !isOver else { continue }
                _ = try await store.ask(.cancel(keepingPart: true), of: first.id, at: Sample.start + 2)
                if let claim = try await store.existing(first.id).claim {
                    let end = Settlement(.cancelled, progress: DownloadProgress())
                    try await store.settle(claim, as: end, at: Sample.start + 2)
                }
                let after = try await store.claimIDs(upTo: 9, only: [second.id], for: owner)
                #expect(after == [second.id], "\(state)")
            }
        },
        Behaviour("runsOnlyAsManyOfTheFirstAsAStrictQueueHasSlots") { store in
            let owner = try await store.join(Sample.process(1), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            try await store.setStrict("q") { ($0.slots, $0.perHost) = (2, 1) }
            let first = try await store.addOne("a", holder: other, queue: "q", host: "one.example")
            let second = try await store.addOne("b", queue: "q", host: "one.example")
            let third = try await store.addOne("c", queue: "q", host: "two.example")
            // A transfer held by another process is at the front, whether it runs or not.
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [second.id])
            #expect(try await store.claimIDs(upTo: 9, for: other) == [], "the host has enough")
            try await store.end(second.id, as: .failed(Sample.failure))
            #expect(try await store.claimIDs(upTo: 9, for: other) == [first.id])
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [], "the failed one holds its place")
            try await store.forget([second.id])
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [third.id])
        },
        Behaviour("waitsForNoRoomInAStrictQueueThatIsHeld") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.setStrict("q")
            let first = try await store.addOne("a", queue: "q")
            _ = try await store.addOne("b", queue: "q")
            #expect(try await store.waitsForRoom(owner, at: Sample.start))
            _ = try await store.ask(.pause, of: first.id, at: Sample.start)
            #expect(try await store.waitsForRoom(owner, at: Sample.start) == false)
            _ = try await store.requeue(first.id, holder: nil, at: Sample.start)
            _ = try await store.claimOne(first.id, for: owner)
            #expect(try await store.waitsForRoom(owner, at: Sample.start))
            try await store.end(first.id, as: .failed(Sample.failure))
            #expect(try await store.waitsForRoom(owner, at: Sample.start) == false)
        },
        Behaviour("failsWhatStandsBehindAFailedOneWhereTheQueueSaysSo") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.setStrict("q") { ($0.slots, $0.onFailure) = (2, .fail) }
            let head = try await store.addOne("head", in: .active, owner: owner, queue: "q")
            let beside = try await store.addOne("beside", in: .active, owner: owner, queue: "q")
            let queued = try await store.addOne("queued", holder: owner, queue: "q")
            let paused = try await store.addOne("paused", in: .paused, owner: owner, queue: "q")
            let elsewhere = try await store.addOne("elsewhere", queue: "r")
            let after = try await store.addOne("after", queue: "r", after: [paused.id])
            try await store.end(head.id, as: .failed(Sample.failure))
            for id in [queued.id, paused.id] {
                let transfer = try await store.existing(id)
                guard case .failed(let failure) = transfer.state else {
                    Issue.record("\(transfer.state)")
                    continue
                }
                #expect(failure.code == .headFailed && failure.cause == Sample.failure.cause)
                #expect(failure.message.contains("Transfer \(head.id),") && transfer.claim == nil)
            }
            guard case .failed(let failure) = try await store.existing(after.id).state else {
                Issue.record("what comes after one that failed behind another fails as well")
                return
            }
            #expect(failure.code == .dependencyFailed && failure.message.contains("Transfer \(paused.id),"))
            #expect(try await store.existing(beside.id) == beside, "what runs began in order")
            #expect(try await store.existing(elsewhere.id) == elsewhere)
            // A transfer added later is no longer behind it, whatever happens to it.
            let later = try await store.addOne("later", queue: "q")
            var edit = TransferEdit()
            edit.retries = 7
            _ = try await store.edit(head.id, edit, at: Sample.start + 1)
            #expect(try await store.existing(later.id) == later)
            #expect(try await store.claimIDs(upTo: 9, only: [later.id], for: owner) == [later.id])
            _ = try await store.requeue(head.id, holder: nil, at: Sample.start + 2)
            try await store.end(beside.id, as: .completed)
            #expect(try await store.claimIDs(upTo: 9, only: [head.id], for: owner) == [head.id])
        },
        Behaviour("letsAFailedDependencyFailWhatStandsBehindWhatCameAfterIt") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.setStrict("q") { $0.onFailure = .fail }
            let awaited = try await store.addOne("awaited", in: .active, owner: owner, queue: "r")
            let head = try await store.addOne("head", queue: "q", after: [awaited.id])
            let behind = try await store.addOne("behind", queue: "q")
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [], "the head waits")
            try await store.end(awaited.id, as: .failed(Sample.failure))
            let codes = try await store.transfers([head.id, behind.id]).map { transfer in
                transfer.flatMap { transfer -> TransferFailure.Code? in
                    if case .failed(let failure) = transfer.state { failure.code } else { nil }
                }
            }
            #expect(codes == [.dependencyFailed, .headFailed])
        },
        Behaviour("obeysTheOrderOfAQueueWheneverItIsChanged") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let failed = try await store.addOne(
                "failed",
                in: .failed(Sample.failure),
                owner: owner,
                queue: "q"
            )
            let first = try await store.addOne("first", queue: "q")
            let second = try await store.addOne("second", queue: "r")
            try await store.setStrict("q")
            var edit = TransferEdit()
            edit.queue = "q"
            _ = try await store.edit(second.id, edit, at: Sample.start)
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [])
            try await store.setStrict("q") { $0.onFailure = .fail }
            #expect(try await store.existing(first.id).state == .queued, "it failed before")
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [first.id])
            try await store.set("q") { $0.order = .fair }
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [])
            try await store.set("q") { $0.slots = 2 }
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [second.id])
            for id in [first.id, second.id] { try await store.end(id, as: .completed) }
            try await store.setStrict("q")
            #expect(try await store.remove(queue: "q"))
            _ = try await store.requeue(failed.id, holder: nil, at: Sample.start)
            let third = try await store.addOne("third", queue: "q")
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [failed.id, third.id])
        },
        Behaviour("refusesAStrictQueueInWhichThereWouldBeNoOrder") { store in
            await #expect(throws: StoreError.refusedQueue(.strictWithoutSlots)) {
                try await store.set(NewTransfer.defaultQueue) { $0.order = .strict }
            }
            try await store.setStrict("q")
            let before = try await store.queue(named: "q")
            #expect(before.order == .strict && before.onFailure == .hold)
            await #expect(throws: StoreError.refusedQueue(.strictWithoutSlots)) {
                try await store.set("q") { $0.slots = 0 }
            }
            await #expect(throws: StoreError.refusedQueue(.strictWithoutWaiting)) {
                try await store.set("q") { $0.overflow = .cancelOldest }
            }
            #expect(try await store.queue(named: "q") == before)
            #expect(try await store.changedQueues() == [before])
        },
    ]
}

extension TransferStore {
    /// Makes a queue strict, with one slot by default.
    fileprivate func setStrict(_ queue: String, _ change: (inout QueueEdit) -> Void = { _ in }) async throws {
        try await set(queue) { edit in
            (edit.slots, edit.perHost, edit.order) = (1, 0, .strict)
            change(&edit)
        }
    }

    /// Ends the attempt at a running transfer.
    fileprivate func end(_ id: TransferID, as state: TransferState) async throws {
        let claim = try #require(try await existing(id).claim)
        try await settle(claim, as: Settlement(state, progress: DownloadProgress()), at: Sample.start + 1)
    }
}
