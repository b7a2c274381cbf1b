import FerryCore
import Testing

extension TransferStoreConformance {
    static let owning: [Behaviour] = [
        Behaviour("remembersOwnersUntilTheyAreRemoved") { store in
            let extreme = ProcessIdentity(pid: .max, startTime: .max, boot: BootID(rawValue: ""))
            let first = try await store.join(extreme, at: Sample.start)
            var seated = extreme
            seated.namespace = .max
            seated.seat = ProcessIdentity.Seat(file: .max, place: .max)
            let second = try await store.join(seated, at: Sample.start + 1)
            let expected = [
                Owner(id: first, process: extreme, joined: Sample.start),
                Owner(id: second, process: seated, joined: Sample.start + 1),
            ]
            #expect(try await store.owners() == expected)
            #expect(try await store.remove(first, at: Sample.start) == [])
            #expect(try await store.owners() == [expected[1]])
            #expect(try await store.remove(first, at: Sample.start) == [], "there is nothing left to remove")
        },
        Behaviour("recordsAnotherProofThatAnOwnerLives") { store in
            var process = Sample.process()
            let owner = try await store.join(process, at: Sample.start)
            let held = try await store.addOne("held", holder: owner)
            for seat in [ProcessIdentity.Seat(file: .max, place: 7), nil, .init(file: 1, place: .max)] {
                process.seat = seat
                try await store.renew(owner, as: process)
                #expect(
                    try await store.owners() == [Owner(id: owner, process: process, joined: Sample.start)]
                )
            }
            #expect(try await store.existing(held.id) == held)
            #expect(try await store.remove(owner, at: Sample.start) == [held.id])
            try await store.renew(owner, as: process)
            #expect(try await store.owners() == [], "it does not come back")
        },
        Behaviour("takesOverWhatIsNamedAndNoMore") { store in
            let owner = try await store.join(Sample.process(1), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let named = try await store.addOne("named", in: .active, owner: owner)
            let rest = try await store.addOne("rest", in: .active, owner: owner)
            let foreign = try await store.addOne("foreign", in: .active, owner: other)
            let wanted = try await store.ask(.cancel(keepingPart: false), of: named.id, at: Sample.start)
            var expected = wanted
            expected.takenOver(at: Sample.start + 5)
            let freed = try await store.takeOver([named.id, foreign.id], from: [owner], at: Sample.start + 5)
            #expect(freed == [named.id])
            #expect(try await store.existing(named.id) == expected)
            #expect(expected.state == .queued && expected.wish == nil)
            #expect(try await store.existing(rest.id) == rest)
            #expect(try await store.existing(foreign.id) == foreign)
            #expect(try await store.owners().map(\.id) == [owner, other])
            _ = try await store.takeOver([rest.id], from: [owner], at: Sample.start + 5)
            #expect(try await store.owners().map(\.id) == [other], "one that holds nothing is removed")
            await expectError({ $0 == .ownerRemoved }) { _ = try await store.claimIDs(upTo: 1, for: owner) }
        },
        Behaviour("freesWhatARemovedOwnerHeld") { store in
            let dead = try await store.join(Sample.process(1), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let active = try await store.addOne("active", in: .active, owner: dead)
            let progress = try Sample.progress(received: 6)
            try await store.record(
                progress,
                for: try #require(active.claim),
                durability: .process,
                at: Sample.start
            )
            let held = try await store.addOne("held", holder: dead)
            let foreign = try await store.addOne("foreign", in: .active, owner: other)
            let done = try await store.addOne("done", in: .completed, owner: dead)
            var expected = try await store.existing(active.id)
            expected.lostOwner(.died, isAlone: true, at: Sample.start + 5)
            #expect(try await store.remove(dead, at: Sample.start + 5) == [active.id, held.id])
            #expect(try await store.existing(active.id) == expected)
            #expect(expected.state == .queued && expected.attempts == 1 && expected.ledger.deaths == 1)
            #expect(expected.downloadProgress.segments == progress.segments)
            #expect(try await store.existing(held.id).claim == nil)
            #expect(try await store.existing(foreign.id) == foreign)
            #expect(try await store.existing(done.id) == done)
            #expect(try await store.claimIDs(upTo: 9, for: other) == [active.id, held.id])
        },
        Behaviour("givesUpATransferThatEveryOwnerDiedOf") { store in
            var new = try Sample.new("file")
            new.specification.options.retries = 0
            let added = try #require(try await store.add([new], holder: nil, at: Sample.start).first).transfer
            let last = try await store.addOne("behind", after: [added.id])
            let most = Transfer.mostDeaths
            for number in 1...most {
                let dead = try await store.join(Sample.process(), at: Sample.start)
                _ = try await store.claimOne(added.id, for: dead)
                #expect(try await store.remove(dead, at: Sample.start) == [added.id])
                let left = try await store.existing(added.id)
                #expect(left.state.name == (number < most ? .queued : .failed))
                #expect(left.attempts == number && left.ledger.deaths == number)
            }
            guard case .failed(let failure) = try await store.existing(added.id).state else { return }
            #expect(failure.code == .attemptsExhausted)
            // Its dependents fail in the same commit.
            #expect(try await store.existing(last.id).state.name == .failed)
            let again = try await store.requeue(added.id, holder: nil, at: Sample.start)
            #expect(again.state == .queued && again.attempts == 0 && again.ledger.deaths == 0)
        },
        Behaviour("obeysTheWishesThatADeadOwnerDidNot") { store in
            let wishes: [Wish] = [.pause, .cancel(keepingPart: false), .cancel(keepingPart: true), .reload]
            for (number, wish) in wishes.enumerated() {
                let dead = try await store.join(Sample.process(), at: Sample.start)
                let active = try await store.addOne("file-\(number)", in: .active, owner: dead)
                var expected = try await store.ask(wish, of: active.id, at: Sample.start + 1)
                expected.lostOwner(.died, isAlone: true, at: Sample.start + 2)
                #expect(try await store.remove(dead, at: Sample.start + 2) == [active.id])
                #expect(try await store.existing(active.id) == expected)
                #expect(expected.wish == nil && expected.claim == nil && expected.state != .active)
            }
        },
        Behaviour("pausesWhatAStoppedOwnerHoldsAndQueuesItForAnyOwner") { store in
            let stopped = try await store.join(Sample.process(1), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let held = try await store.addOne("held", holder: stopped)
            let foreign = try await store.addOne("foreign", holder: other)
            let free = try await store.addOne("free")
            let begun = try await store.addOne("active", holder: stopped)
            let active = try await store.claimOne(begun.id, for: stopped).transfer
            let paused = try await store.addOne("paused", in: .paused, owner: stopped)
            let missing = TransferID(rawValue: 1_000)
            let all = [active.id, held.id, foreign.id, free.id, paused.id, missing]
            var expected = held
            let isPaused = expected.pauseHeld(by: stopped, at: Sample.start + 1)
            #expect(isPaused)
            #expect(try await store.pauseHeld(all, by: stopped, at: Sample.start + 1) == [expected])
            #expect(try await store.existing(held.id) == expected)
            let settlement = Settlement(.queued, progress: try Sample.progress(received: 6), isLeft: true)
            let left = try await store.settle(
                try #require(active.claim),
                as: settlement,
                at: Sample.start + 1
            )
            #expect(left.state == .paused && left.ledger.left != nil)
            for untouched in [foreign, free, paused] {
                #expect(try await store.existing(untouched.id) == untouched)
            }

            let takenUp = try await store.takeUp(all, holder: other, at: Sample.start + 2)
            #expect(takenUp.map(\.id) == [active.id, held.id])
            #expect(takenUp.allSatisfy { $0.state == .queued && $0.claim?.owner == other })
            #expect(try await store.takeUp(all, holder: nil, at: Sample.start + 3) == [])
            #expect(try await store.claimIDs(upTo: 9, for: stopped) == [free.id])
            #expect(Set(try await store.claimIDs(upTo: 9, for: other)) == [held.id, foreign.id, active.id])
            let again = try await store.existing(active.id)
            #expect(again.downloadProgress.segments.received == 6)
            #expect(try #require(again.claim).token > (active.claim?.token ?? .max))
        },
        Behaviour("queuesNothingThatWouldWaitInVain") { store in
            let stopped = try await store.join(Sample.process(1), at: Sample.start)
            let first = try await store.addOne("first")
            let next = try await store.addOne("next", after: [first.id], holder: stopped)
            #expect(try await store.pauseHeld([next.id], by: stopped, at: Sample.start).count == 1)
            _ = try await store.ask(.cancel(keepingPart: false), of: first.id, at: Sample.start)
            let left = try await store.existing(next.id)
            #expect(try await store.takeUp([next.id], holder: nil, at: Sample.start + 1) == [])
            #expect(try await store.existing(next.id) == left && left.state == .paused)
        },
        Behaviour("queuesNothingForAnOwnerThatHasLeft") { store in
            let stopped = try await store.join(Sample.process(1), at: Sample.start)
            let held = try await store.addOne("held", holder: stopped)
            _ = try await store.pauseHeld([held.id], by: stopped, at: Sample.start)
            _ = try await store.remove(stopped, at: Sample.start)
            let left = try await store.existing(held.id)
            await expectError(\.isUnavailable) {
                _ = try await store.takeUp([held.id], holder: stopped, at: Sample.start)
            }
            #expect(try await store.existing(held.id) == left)
        },
        Behaviour("freesWhatAnOwnerHoldsThatIsToStandStill") { store in
            let owner = try await store.join(Sample.process(1), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let held = try await store.addOne("held", holder: owner)
            let foreign = try await store.addOne("foreign", holder: other)
            let active = try await store.addOne("active", in: .active, owner: owner)
            try await store.letGo([held.id, foreign.id, active.id, TransferID(rawValue: 99)], by: owner)
            var expected = held
            expected.claim = nil
            #expect(try await store.existing(held.id) == expected)
            #expect(try await store.existing(foreign.id) == foreign)
            #expect(try await store.existing(active.id) == active)
            #expect(try await store.claimIDs(upTo: 9, for: other) == [held.id, foreign.id])
        },
    ]
}
