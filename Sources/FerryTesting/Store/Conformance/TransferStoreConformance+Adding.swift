import FerryCore
import Testing

extension TransferStoreConformance {
    static let adding: [Behaviour] = [
        Behaviour("addsInOrderWithGrowingNumbers") { store in
            let news = try (0..<50).map { try Sample.new("file-\($0)", priority: -$0) }
            let first = try await store.add(news, holder: nil, at: Sample.start)
            let second = try await store.addOne("later")
            let ids = first.map(\.transfer.id)
            #expect(ids == ids.sorted() && Set(ids).count == 50)
            #expect(try #require(ids.last) < second.id)
            #expect(try #require(ids.first).rawValue > 0)
            for (var new, addition) in zip(news, first) {
                // The store creates it.
                new.uuid = addition.transfer.uuid
                let expected = Transfer(id: addition.transfer.id, adding: new, at: Sample.start)
                #expect(addition == .added(expected))
                #expect(try await store.transfer(expected.id) == expected)
            }
        },
        Behaviour("addsNothingWhenAskedForNothing") { store in
            let additions = try await store.add([], holder: nil, at: Sample.start)
            #expect(additions == [])
            #expect(try await store.counts() == [:])
        },
        Behaviour("meetsWhatIsNotOverInEveryStateAsTheTransitionsSay") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let asking = try await store.join(Sample.process(2), at: Sample.start)
            for (number, state) in everyState.enumerated() where state != .completed && state != .cancelled {
                for holder in [nil, asking] {
                    for retries in [DownloadOptions().retries, 3] {
                        let name = "\(number)-\(holder == nil)-\(retries)"
                        let former = try await store.addOne(name, in: state, owner: owner)
                        var again = try Sample.new(name, priority: 9)
                        again.specification.options.retries = retries
                        var expected = former
                        let token: Int64 = former.attempts == 0 ? 1 : 2
                        let now = Sample.start + 100
                        let reunion = try expected.meet(again, holder: holder, token: token, at: now)
                        let additions = try await store.add([again], holder: holder, at: now)
                        #expect(additions == [Addition(expected, reunion)])
                        #expect(try await store.existing(former.id) == expected)
                    }
                }
            }
        },
        Behaviour("movesWhatHasNotBegunToTheQueueAndPriorityThatAreAskedForNow") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("first")
            let holders: [(String, OwnerID?)] = [("free", nil), ("held", owner)]
            for (name, holder) in holders {
                let former = try await store.addOne(name, holder: holder, queue: "a")
                // Adding without a queue leaves it where it is.
                let plain = try await store.addOne(
                    name,
                    queue: NewTransfer.defaultQueue,
                    at: Sample.start + 1
                )
                var expected = former
                if holder != nil { (expected.isForQueue, expected.updated) = (true, Sample.start + 1) }
                #expect(plain == expected, "it is for the queue from then on")
                let moved = try await store.addOne(
                    name,
                    priority: 7,
                    queue: "b",
                    after: [first.id],
                    at: Sample.start + 2
                )
                #expect(moved.id == former.id && moved.queue == "b" && moved.priority == 7)
                #expect(moved.claim == former.claim && moved.dependencies == [first.id])
                #expect(try await store.existing(former.id) == moved)
            }
            let running = try await store.addOne("running", queue: "a")
            let (active, _) = try await store.claimOne(running.id, for: owner)
            let same = try await store.addOne("running", priority: 7, queue: "b", at: Sample.start + 3)
            #expect(same == active, "what runs stays as it is")
        },
        Behaviour("addsAgainWhatIsCompletedOrCancelled") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for state in [TransferState.completed, .cancelled] {
                let former = try await store.addOne("file-\(state.name)", in: state, owner: owner)
                let addition = try await store.add(
                    [Sample.new("file-\(state.name)")],
                    holder: nil,
                    at: Sample.start + 1
                )
                guard case .added(let fresh)? = addition.first else {
                    Issue.record("\(addition)")
                    return
                }
                #expect(fresh.id > former.id && fresh.state == .queued)
                #expect(try await store.existing(former.id) == former)
            }
        },
        Behaviour("attachesToWhatWasCompletedSinceItWasLookedFor") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let known = try await store.addOne("again", in: .completed, owner: owner)
            let later = try await store.addOne("again", in: .completed, owner: owner)
            let names = ["fresh", "again", "fresh", "known"]
            let other = try await store.addOne("known", in: .completed, owner: owner)
            let additions = try await store.add(
                names.map { try Sample.new($0) },
                besides: [nil, known.id, nil, other.id],
                holder: owner,
                at: Sample.start + 1
            )
            #expect(additions[1] == .attached(later))
            #expect(try await store.existing(later.id) == later, "what is complete stays as it is")
            #expect(additions[0].transfer == additions[2].transfer && additions[0].transfer.state == .queued)
            guard case .added(let fresh) = additions[3] else {
                Issue.record("\(additions[3])")
                return
            }
            #expect(fresh.id > other.id)
            let again = try Sample.new("again")
            let next = try await store.add([again], besides: [later.id], holder: owner, at: Sample.start + 2)
            guard case .added(let wanted)? = next.first else {
                Issue.record("\(next)")
                return
            }
            // An unfinished transfer takes precedence over a final one.
            let same = try await store.add([again], besides: [later.id], holder: owner, at: Sample.start + 3)
            #expect(same.map(\.transfer.id) == [wanted.id])
        },
        Behaviour("revivesWhatFailedWithItsCheckpoint") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("file")
            let claim = try await store.claimOne(added.id, for: owner).claim
            let progress = try Sample.progress(received: 40)
            try await store.settle(
                claim,
                as: Settlement(.failed(Sample.failure), progress: progress, failure: Sample.failure),
                at: Sample.start + 1
            )
            let additions = try await store.add([Sample.new("file")], holder: owner, at: Sample.start + 2)
            guard case .revived(let revived)? = additions.first else {
                Issue.record("\(additions)")
                return
            }
            #expect(revived.id == added.id && revived.state == .queued && revived.attempts == 0)
            #expect(
                revived.downloadProgress == progress && revived.latestFailure == nil
                    && revived.finished == nil
            )
            #expect(revived.claim?.owner == owner && (revived.claim?.token ?? 0) > claim.token)
            #expect(try await store.existing(added.id) == revived)
            #expect(try await store.attempts(of: added.id).count == 1, "the history stays")
        },
        Behaviour("findsDuplicatesWithinOneBatch") { store in
            let names = ["a", "b", "a", "c", "b", "a"]
            let additions = try await store.add(
                names.map { try Sample.new($0) },
                holder: nil,
                at: Sample.start
            )
            let kinds = additions.map { addition in
                if case .added = addition { return "added" }
                if case .attached = addition { return "attached" }
                return "revived"
            }
            #expect(kinds == ["added", "added", "attached", "added", "attached", "attached"])
            #expect(additions[0].transfer == additions[2].transfer)
            #expect(try await store.counts() == [.queued: 3])
        },
        Behaviour("tellsNamesApartThatOnlyLookTheSame") { store in
            let composed = "caf\u{E9}"
            let decomposed = "cafe\u{301}"
            let news = try [composed, decomposed].map { name in
                let url = try HTTPURL(parsing: "https://example.com/file")
                let name = try FileName(userGiven: name)
                return NewTransfer(
                    DownloadSpecification(url: url, destination: .file(directory: "/d", name: name))
                )
            }
            let additions = try await store.add(news, holder: nil, at: Sample.start)
            #expect(Set(additions.map(\.transfer.id)).count == 2)
        },
        Behaviour("holdsWhatItAddsForItsHolder") { store in
            let owner = try await store.join(Sample.process(1), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let held = try await store.addOne("held", holder: owner)
            #expect(held.state == .queued && held.claim?.owner == owner && held.claim?.transfer == held.id)
            #expect(try await store.existing(held.id) == held)
            #expect(try await store.claimIDs(upTo: 5, for: other) == [])
            let (active, claim) = try await store.claimOne(held.id, for: owner)
            #expect(active.state == .active && claim.token > (held.claim?.token ?? .max))
        },
        Behaviour("recordsPausedWhatIsAddedPaused") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let holders: [(String, OwnerID?)] = [("free", nil), ("held", owner)]
            for (name, holder) in holders {
                var new = try Sample.new(name)
                new.isPaused = true
                let added = try await store.add([new], holder: holder, at: Sample.start).map(\.transfer)
                let first = try #require(added.first)
                #expect(first.state == .paused && first.claim == nil && !first.isLeft)
                #expect(try await store.existing(first.id) == first)
                let again = try await store.add([new], holder: holder, at: Sample.start + 1)
                #expect(again.map(\.transfer.state) == [.paused], "the same request does not resume it")
                let wanted = try await store.addOne(name, holder: holder, at: Sample.start + 2)
                #expect(wanted.id == first.id && wanted.state == .queued)
                let late = try await store.add([new], holder: holder, at: Sample.start + 3)
                #expect(late.map(\.transfer.state) == [.queued], "what was resumed is not paused again")
            }
            #expect(try await store.claimIDs(upTo: 5, for: owner, at: Sample.start + 4).count == 2)
        },
        Behaviour("revivesNothingForARequestThatIsAddedPaused") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let failed = try await store.addOne("file", in: .failed(Sample.failure), owner: owner)
            var new = try Sample.new("file")
            new.isPaused = true
            let additions = try await store.add([new], holder: nil, at: Sample.start + 1)
            guard case .attached(let same)? = additions.first else {
                Issue.record("\(additions)")
                return
            }
            #expect(same.id == failed.id && same.state == failed.state)
        },
        Behaviour("holdsNothingForAnOwnerThatHasLeft") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            _ = try await store.remove(owner, at: Sample.start)
            await expectError(\.isUnavailable) { _ = try await store.addOne("file", holder: owner) }
            #expect(try await store.counts() == [:])
        },
        Behaviour("neverUsesANumberTwice") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let last = try await store.addOne("file", in: .cancelled, owner: owner)
            try await store.forget([last.id])
            let next = try await store.addOne("file")
            #expect(next.id > last.id)
            _ = try await store.remove(owner, at: Sample.start)
            let nextOwner = try await store.join(Sample.process(), at: Sample.start)
            #expect(nextOwner.rawValue > owner.rawValue)
        },
    ]
}
