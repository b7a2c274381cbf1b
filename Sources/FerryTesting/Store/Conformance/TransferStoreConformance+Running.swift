import FerryCore
import Testing

extension TransferStoreConformance {
    static let running: [Behaviour] = [
        Behaviour("keepsTheHoldOnWhatWaitsOnlyWhenAskedTo") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let due = TransferState.waiting(.retry(at: Sample.start + 5))
            for keepsHold in [true, false] {
                let added = try await store.addOne("hold-\(keepsHold)")
                let (_, claim) = try await store.claimOne(added.id, for: owner)
                let settlement = Settlement(due, progress: DownloadProgress(), keepsHold: keepsHold)
                try await store.settle(claim, as: settlement, at: Sample.start)
                let late = Sample.start + 10
                let taken = try await store.claim(upTo: 1, only: [added.id], for: other, at: late)
                #expect(taken.isEmpty == keepsHold)
                #expect(try await store.nextWakeTime(for: owner) == (keepsHold ? Sample.start + 5 : nil))
                if keepsHold { _ = try await store.claimOne(added.id, for: owner, at: late) }
            }
        },
        Behaviour("keepsWhenTheLatestAttemptStarted") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("file")
            #expect(added.attemptStarted == nil)
            let (active, first) = try await store.claimOne(added.id, for: owner, at: Sample.start + 5)
            #expect(active.attemptStarted == Sample.start + 5)
            // Neither progress, nor an edit, nor the end moves it.
            let some = try Sample.progress(received: 10)
            try await store.record(some, for: first, durability: .process, at: Sample.start + 6)
            _ = try await store.edit(added.id, TransferEdit(), at: Sample.start + 7)
            #expect(try await store.existing(added.id).attemptStarted == Sample.start + 5)
            let failed = Settlement(.queued, progress: some, failure: Sample.failure)
            try await store.settle(first, as: failed, at: Sample.start + 8)
            #expect(try await store.existing(added.id).attemptStarted == Sample.start + 5)
            #expect(try await store.attempts(of: added.id).map(\.started) == [Sample.start + 5])
            // The process dies in the second attempt, and the third completes it.
            _ = try await store.claimOne(added.id, for: owner, at: Sample.start + 10)
            _ = try await store.remove(owner, after: .died, at: Sample.start + 11)
            #expect(try await store.existing(added.id).attemptStarted == Sample.start + 10)
            let heir = try await store.join(Sample.process(2), at: Sample.start + 12)
            let third = try await store.claimOne(added.id, for: heir, at: Sample.start + 13).claim
            let whole = Settlement(.completed, progress: try Sample.progress(received: 1_000))
            try await store.settle(third, as: whole, at: Sample.start + 14)
            let completed = try await store.existing(added.id)
            #expect(completed.state == .completed && completed.attemptStarted == Sample.start + 13)
        },
        Behaviour("recordsProgressAndNothingElse") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("file")
            let (active, claim) = try await store.claimOne(added.id, for: owner)
            for (step, durability) in [Durability.process, .power].enumerated() {
                let progress = try Sample.progress(received: Int64(step + 1) * 10)
                let now = Sample.start + Int64(step + 1)
                try await store.record(progress, for: claim, durability: durability, at: now)
                var expected = active
                expected.downloadProgress = progress
                expected.updated = now
                #expect(try await store.existing(added.id) == expected)
            }
        },
        Behaviour("refusesEveryWriteWithAnOldToken") { store in
            let owner = try await store.join(Sample.process(1), at: Sample.start)
            let added = try await store.addOne("file")
            let old = try await store.claimOne(added.id, for: owner).claim
            try await store.settle(
                old,
                as: Settlement(.queued, progress: DownloadProgress()),
                at: Sample.start
            )
            let (current, claim) = try await store.claimOne(added.id, for: owner)
            let forged = [
                old, Claim(transfer: added.id, owner: OwnerID(rawValue: 99), token: claim.token),
                Claim(transfer: added.id, owner: owner, token: claim.token + 1),
                Claim(transfer: TransferID(rawValue: 77), owner: owner, token: claim.token),
            ]
            for wrong in forged { try await Self.expectRefusal(of: wrong, by: store) }
            #expect(try await store.existing(added.id) == current, "nothing was changed")
            #expect(try await store.attempts(of: added.id) == [])
            try await store.record(DownloadProgress(), for: claim, durability: .process, at: Sample.start)
        },
        Behaviour("refusesWritesOfWhatIsNotRunning") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let held = try await store.addOne("held", holder: owner)
            try await Self.expectRefusal(of: try #require(held.claim), by: store)
            #expect(try await store.existing(held.id) == held)
            let claim = try await store.claimOne(held.id, for: owner).claim
            let settled = try await store.settle(
                claim,
                as: Settlement(.completed, progress: DownloadProgress()),
                at: Sample.start
            )
            try await Self.expectRefusal(of: claim, by: store)
            #expect(try await store.existing(held.id) == settled)
        },
        Behaviour("refusesAFormerOwnerAfterTheTransferWasRescued") { store in
            let dead = try await store.join(Sample.process(1), at: Sample.start)
            let rescuer = try await store.join(Sample.process(2), at: Sample.start)
            let added = try await store.addOne("file")
            let old = try await store.claimOne(added.id, for: dead).claim
            _ = try await store.remove(dead, at: Sample.start)
            try await Self.expectRefusal(of: old, by: store)
            let (current, _) = try await store.claimOne(added.id, for: rescuer)
            try await Self.expectRefusal(of: old, by: store)
            #expect(try await store.existing(added.id) == current)
        },
        Behaviour("settlesIntoEveryState") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() where state != .active {
                let added = try await store.addOne("file-\(number)")
                let (claimed, claim) = try await store.claimOne(added.id, for: owner)
                var active = claimed
                if state == .cancelled {
                    active = try await store.ask(.cancel(keepingPart: false), of: added.id, at: Sample.start)
                }
                let settlement = Settlement(
                    state,
                    progress: try Sample.progress(received: 5),
                    failure: Sample.failure,
                    attempts: 3
                )
                var expected = active
                expected.settle(settlement, at: Sample.start + 2)
                #expect(try await store.settle(claim, as: settlement, at: Sample.start + 2) == expected)
                #expect(try await store.existing(added.id) == expected)
                #expect(expected.claim == nil && expected.state == state)
                if state == .queued { _ = try await store.ask(.pause, of: added.id, at: Sample.start) }
            }
        },
        Behaviour("keepsAttemptsWhenTheSettlementLeavesThem") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("file")
            let first = try await store.claimOne(added.id, for: owner).claim
            try await store.settle(
                first,
                as: Settlement(.queued, progress: DownloadProgress(), attempts: 7),
                at: Sample.start
            )
            let second = try await store.claimOne(added.id, for: owner).claim
            let settled = try await store.settle(
                second,
                as: Settlement(.paused, progress: DownloadProgress()),
                at: Sample.start
            )
            #expect(settled.attempts == 8)
        },
        Behaviour("obeysAPendingWishWhenTheAttemptEnds") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let wishes: [Wish] = [.pause, .cancel(keepingPart: false), .cancel(keepingPart: true), .reload]
            for (number, wish) in wishes.enumerated() {
                for state in [TransferState.waiting(.network), .queued, .completed, .failed(Sample.failure)] {
                    let added = try await store.addOne("file-\(number)-\(state.name)")
                    let claim = try await store.claimOne(added.id, for: owner).claim
                    var expected = try await store.ask(wish, of: added.id, at: Sample.start + 1)
                    #expect(expected.wish == wish && expected.state == .active && expected.claim == claim)
                    let settlement = Settlement(state, progress: try Sample.progress(received: 3))
                    expected.settle(settlement, at: Sample.start + 2)
                    #expect(try await store.settle(claim, as: settlement, at: Sample.start + 2) == expected)
                    #expect(try await store.existing(added.id) == expected)
                    #expect(expected.wish == nil && expected.claim == nil)
                }
            }
        },
        Behaviour("keepsTheLatestHundredAttemptsOldestFirst") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("file")
            for number in 0..<105 {
                let claim = try await store.claimOne(added.id, for: owner).claim
                let failure = TransferFailure(.timeout, "attempt \(number)")
                let progress = try Sample.progress(received: Int64(number))
                try await store.settle(
                    claim,
                    as: Settlement(.queued, progress: progress, failure: failure),
                    at: Sample.start + Int64(number)
                )
            }
            let claim = try await store.claimOne(added.id, for: owner).claim
            try await store.settle(
                claim,
                as: Settlement(.paused, progress: DownloadProgress()),
                at: Sample.start
            )
            let attempts = try await store.attempts(of: added.id)
            #expect(attempts.map(\.received) == (5..<105).map(Int64.init), "one without a failure is none")
            #expect(attempts.allSatisfy { $0.started == Sample.start })
            #expect(attempts.map(\.ended) == (5..<105).map { Sample.start + Int64($0) })
            #expect(attempts.last?.failure == TransferFailure(.timeout, "attempt 104"))
            #expect(try await store.attempts(of: TransferID(rawValue: 99)) == [])
        },
    ]

    /// Checks that both of an owner's writes are refused with the lost claim.
    private static func expectRefusal(of claim: Claim, by store: any TransferStore) async throws {
        let progress = try Sample.progress(received: 999)
        for durability in [Durability.process, .power] {
            await expectError {
                $0 == .claimLost(claim.transfer)
            } _: {
                try await store.record(progress, for: claim, durability: durability, at: Sample.start + 50)
            }
        }
        for state in [TransferState.completed, .queued] {
            await expectError {
                $0 == .claimLost(claim.transfer)
            } _: {
                let settlement = Settlement(state, progress: progress, failure: Sample.failure)
                try await store.settle(claim, as: settlement, at: Sample.start + 50)
            }
        }
    }
}
