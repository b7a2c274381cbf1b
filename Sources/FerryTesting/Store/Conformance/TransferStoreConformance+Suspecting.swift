import FerryCore
import Testing

/// Transfers that may kill the processes that run them.
extension TransferStoreConformance {
    static let suspecting: [Behaviour] = [
        Behaviour("runsAloneWhatDiedTwice") { store in
            let suspects = try await Self.suspects(["bad", "worse"], in: store)
            let good = [try await store.addOne("good"), try await store.addOne("better", priority: 9)]
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let first = try await store.claimOne(good[0].id, for: owner)
            // An owner that runs a transfer leaves suspects to others, and they block no other transfer.
            #expect(
                try await store.holdsSuspects(owner, only: nil, heldBack: .nothing, at: Sample.start)
            )
            #expect(try await store.claimIDs(upTo: 1, for: owner) == [good[1].id])
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [])
            let alone = try await store.claim(upTo: 9, only: nil, for: other, at: Sample.start)
            #expect(alone.map(\.id) == [suspects[0]] && alone.allSatisfy(\.isSuspect))
            #expect(try await store.claimIDs(upTo: 9, for: other) == [])
            let claim = try #require(alone.first?.claim)
            let done = Settlement(.completed, progress: DownloadProgress())
            try await store.settle(claim, as: done, at: Sample.start)
            #expect(try await store.claimIDs(upTo: 9, only: [good[0].id], for: other) == [])
            #expect(try await store.claimIDs(upTo: 9, only: [suspects[1]], for: other) == [suspects[1]])
            #expect(
                try await !store.holdsSuspects(owner, only: nil, heldBack: .nothing, at: Sample.start)
            )
            try await store.settle(first.claim, as: done, at: Sample.start)
        },
        Behaviour("findsASuspectBehindWhatTheSameOwnerRuns") { store in
            try await store.set("slots") { $0.slots = 2 }
            try await store.set("hosts") { $0.perHost = 2 }
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            for queue in ["slots", "hosts"] {
                let suspect = try await Self.suspects(["bad-\(queue)"], queue: queue, in: store)[0]
                var claims: [Claim] = []
                for name in ["one-\(queue)", "two-\(queue)"] {
                    let added = try await store.addOne(name, queue: queue)
                    claims.append(try await store.claimOne(added.id, for: owner).claim)
                }
                #expect(try await store.claimIDs(upTo: 9, for: other) == [], "there is no room")
                // If the owner stops its transfer, a slot is free; if the other owner does, none is.
                #expect(try await store.holdsSuspects(owner, only: nil, heldBack: .nothing, at: Sample.start))
                #expect(
                    try await !store.holdsSuspects(other, only: nil, heldBack: .nothing, at: Sample.start)
                )
                let done = Settlement(.completed, progress: DownloadProgress())
                for claim in claims { try await store.settle(claim, as: done, at: Sample.start) }
                let alone = try await store.claimOne(suspect, for: owner).claim
                try await store.settle(alone, as: done, at: Sample.start)
            }
        },
        Behaviour("clearsASuspectWhoseProcessLives") { store in
            let id = try await Self.suspects(["bad"], in: store)[0]
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let claim = try await store.claimOne(id, for: owner).claim
            var ledger = AttemptLedger()
            ledger.deaths = 2
            try await store.settle(
                claim,
                as: Settlement(.queued, progress: DownloadProgress(), ledger: ledger),
                at: Sample.start
            )
            let good = try await store.addOne("good")
            #expect(Set(try await store.claimIDs(upTo: 9, for: owner)) == [id, good.id])
        },
        Behaviour("givesUpOnlyWhatDiedAlone") { store in
            let (bad, good) = (try await store.addOne("bad"), try await store.addOne("good"))
            for number in 1...(Transfer.mostDeaths + 1) {
                let owner = try await store.join(Sample.process(Int32(number)), at: Sample.start)
                let claimed = try await store.claimIDs(upTo: 2, for: owner)
                let expected =
                    number <= 2 ? [bad.id, good.id] : number <= Transfer.mostDeaths ? [bad.id] : [good.id]
                #expect(claimed == expected)
                // The good one completes as soon as it runs without the bad one.
                if claimed == [good.id], let claim = try await store.existing(good.id).claim {
                    let done = Settlement(.completed, progress: DownloadProgress())
                    try await store.settle(claim, as: done, at: Sample.start)
                }
                _ = try await store.remove(owner, at: Sample.start)
            }
            #expect(try await store.existing(good.id).state == .completed)
            #expect(try await store.existing(bad.id).state.name == .failed)
        },
        Behaviour("countsNoDeathOfWhatARebootEnded") { store in
            for end in [OwnerEnd.rebooted, .left] {
                let owner = try await store.join(Sample.process(), at: Sample.start)
                let active = try await store.addOne("\(end)", in: .active, owner: owner)
                #expect(try await store.remove(owner, after: end, at: Sample.start) == [active.id])
                let freed = try await store.existing(active.id)
                #expect(freed.state == .queued && freed.attempts == 0 && freed.ledger.deaths == 0)
            }
        },
    ]

    /// Adds transfers whose owners have died twice.
    private static func suspects(
        _ names: [String],
        queue: String = NewTransfer.defaultQueue,
        in store: any TransferStore
    ) async throws -> [TransferID] {
        var ids: [TransferID] = []
        for name in names { ids.append(try await store.addOne(name, queue: queue).id) }
        for number in 0..<2 {
            let owner = try await store.join(Sample.process(Int32(50 + number)), at: Sample.start)
            #expect(try await store.claimIDs(upTo: 9, for: owner) == ids)
            _ = try await store.remove(owner, at: Sample.start)
        }
        return ids
    }
}
