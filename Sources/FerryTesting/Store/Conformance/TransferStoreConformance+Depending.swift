import FerryCore
import Testing

extension TransferStoreConformance {
    static let depending: [Behaviour] = waiting + breaking + retrying

    private static let waiting: [Behaviour] = [
        Behaviour("letsATransferWaitUntilAllAreCompletedThatItComesAfter") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("first").id
            let second = try await store.addOne("second").id
            let added = try await store.addOne("last", after: [second, first, second])
            #expect(added.state == .waiting(.dependency) && added.dependencies == [first, second])
            #expect(try await store.existing(added.id) == added)
            #expect(try await store.nextWakeTime(for: owner) == nil)
            #expect(try await store.claimIDs(upTo: 9, only: [added.id], for: owner) == [])
            try await store.end(first, .completed, owner, at: Sample.start + 1)
            var expected = added
            let isFree = expected.dependencyCompleted(first, at: Sample.start + 1)
            #expect(!isFree)
            #expect(try await store.existing(added.id) == expected)
            try await store.end(second, .completed, owner, at: Sample.start + 2)
            let isFreed = expected.dependencyCompleted(second, at: Sample.start + 2)
            #expect(isFreed && expected.state == .queued && expected.dependencies == [])
            #expect(try await store.existing(added.id) == expected)
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [added.id])
        },
        Behaviour("takesWhatIsCompletedForMet") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let done = try await store.addOne("done", in: .completed, owner: owner).id
            let open = try await store.addOne("open").id
            let free = try await store.addOne("free", after: [done])
            #expect(free.state == .queued && free.dependencies == [])
            #expect(try await store.addOne("bound", after: [done, open]).dependencies == [open])
            try await store.forget([done])
            #expect(try await store.existing(free.id).state == .queued)
        },
        Behaviour("refusesToComeAfterWhatWillNotComplete") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let failed = try await store.addOne("failed", in: .failed(Sample.failure), owner: owner).id
            let cancelled = try await store.addOne("cancelled", in: .cancelled, owner: owner).id
            let unknown = TransferID(rawValue: 99)
            for (id, other) in [(failed, unknown), (cancelled, unknown)] {
                await expectError {
                    $0.isNotPossible(id)
                } _: {
                    let news = [try Sample.new("new"), try Sample.new("other", after: [id, other])]
                    _ = try await store.add(news, holder: nil, at: Sample.start)
                }
            }
            await expectError {
                $0 == .noSuchTransfer(unknown)
            } _: {
                _ = try await store.addOne("new", after: [unknown])
            }
            #expect(try await store.transfers(.all, after: nil, limit: 9).map(\.id) == [failed, cancelled])
        },
        Behaviour("saysWhichStepLetsAFailedTransferComplete") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let steps: [(code: TransferFailure.Code, step: (TransferID) -> Remedy)] = [
                (.timeout, { .retryFirst($0) }), (.outcomeUnknown, { .confirmFirst($0) }),
                (.responseLost, { .acceptLossFirst($0) }),
            ]
            for (code, step) in steps {
                let first = try await store.addOne("first \(code)").id
                let last = try await store.addOne("last \(code)", after: [first]).id
                let failure = TransferFailure(code, "It is so.")
                try await store.end(first, .failed(failure), owner, at: Sample.start + 1)
                await expectError {
                    $0.isNotPossible(first) && $0.remedies == [step(first)]
                } _: {
                    _ = try await store.addOne("new", after: [first])
                }
                await expectError {
                    $0.isNotPossible(last) && $0.remedies == [step(first), .dropOrder]
                } _: {
                    _ = try await store.requeue(last, holder: nil, at: Sample.start + 2)
                }
            }
        },
        Behaviour("keepsTheOwnerOfATransferThatWaitsForOthers") { store in
            let here = try await store.join(Sample.process(), at: Sample.start)
            let there = try await store.join(Sample.process(2), at: Sample.start)
            let first = try await store.addOne("first").id
            let held = try await store.addOne("held", after: [first], holder: here)
            let left = try await store.addOne("left", after: [first], holder: there)
            #expect(held.claim?.owner == here && held.state == .waiting(.dependency))
            #expect(try await store.remove(there, at: Sample.start + 1) == [left.id])
            let freed = try await store.existing(left.id)
            #expect(freed.claim == nil && freed.state == left.state && freed.dependencies == [first])
            let third = try await store.join(Sample.process(3), at: Sample.start)
            try await store.end(first, .completed, third, at: Sample.start + 2)
            #expect(try await store.existing(held.id).claim == held.claim)
            #expect(try await store.claimIDs(upTo: 9, for: third) == [left.id])
            #expect(try await store.claimIDs(upTo: 9, for: here) == [held.id])
        },
        Behaviour("comesAfterAllThatWasNamedWheneverTheSameWasAskedFor") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("first").id
            let second = try await store.addOne("second").id
            let added = try await store.addOne("last", after: [first])
            #expect(try await store.addOne("last").dependencies == [first])
            let met = try await store.addOne("last", after: [second])
            #expect(met.id == added.id && met.dependencies == [first, second])
            #expect(try await store.existing(met.id) == met)
            // A running transfer stays as it is.
            let running = try await store.claimOne(second, for: owner).transfer
            #expect(try await store.addOne("second", after: [first]) == running)
            #expect(try await store.existing(second) == running)
        },
        Behaviour("makesNoRoomForATransferThatCannotBeginYet") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            try await store.set("images") { ($0.slots, $0.overflow) = (1, .cancelOldest) }
            let running = try await store.addOne("running", queue: "images").id
            _ = try await store.claimOne(running, for: owner)
            let first = try await store.addOne("first").id
            let last = try await store.addOne("last", queue: "images", after: [first])
            #expect(last.state == .waiting(.dependency))
            #expect(try await store.existing(running).wish == nil)
            try await store.end(first, .completed, owner, at: Sample.start + 1)
            #expect(try await store.existing(last.id).state == .queued)
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [])
            let claim = try #require(try await store.existing(running).claim)
            let done = Settlement(.completed, progress: DownloadProgress())
            try await store.settle(claim, as: done, at: Sample.start + 2)
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [last.id])
        },
        Behaviour("letsNothingComeAfterItself") { store in
            let first = try await store.addOne("first")
            let second = try await store.addOne("second", after: [first.id])
            let third = try await store.addOne("third", after: [second.id])
            for other in [first, second, third] {
                await expectError {
                    $0.isNotPossible(first.id)
                } _: {
                    let news = [try Sample.new("new"), try Sample.new("first", after: [other.id])]
                    _ = try await store.add(news, holder: nil, at: Sample.start + 1)
                }
            }
            let all = try await store.transfers(.all, after: nil, limit: 9)
            #expect(all == [first, second, third])
        },
    ]

    private static let breaking: [Behaviour] = [
        Behaviour("failsAllThatComeAfterOneThatDoesNotComplete") { store in
            let ends: [(String, @Sendable (any TransferStore, TransferID, OwnerID) async throws -> Void)] = [
                ("fails", { try await $0.end($1, .failed(Sample.failure), $2, at: Sample.start + 3) }),
                ("cancelled", { try await $0.end($1, .cancelled, $2, at: Sample.start + 3) }),
                (
                    "asked",
                    { store, id, _ in
                        _ = try await store.ask(.cancel(keepingPart: false), of: id, at: Sample.start + 3)
                    }
                ),
                (
                    "left",
                    { store, id, owner in
                        _ = try await store.claimOne(id, for: owner)
                        _ = try await store.ask(.cancel(keepingPart: false), of: id, at: Sample.start + 2)
                        _ = try await store.remove(owner, at: Sample.start + 3)
                    }
                ),
            ]
            for (number, (name, end)) in ends.enumerated() {
                let owner = try await store.join(Sample.process(Int32(number)), at: Sample.start)
                let holder = try await store.join(Sample.process(Int32(number + 50)), at: Sample.start)
                let other = try await store.addOne("\(name) other")
                let first = try await store.addOne("\(name) first")
                let second = try await store.addOne("\(name) 2", after: [other.id, first.id], holder: holder)
                let third = try await store.addOne("\(name) 3", after: [second.id])
                let apart = try await store.addOne("\(name) 4", after: [other.id])
                try await end(store, first.id, owner)
                let failure = try #require(try await store.existing(first.id).failureOfDependents)
                #expect(failure.code == .dependencyFailed && failure.message.contains("\(first.id)"))
                for dependent in [second, third] {
                    var expected = dependent
                    let hasFailed = expected.dependencyFailed(failure, at: Sample.start + 3)
                    #expect(hasFailed && expected.state == .failed(failure) && expected.claim == nil)
                    #expect(try await store.existing(dependent.id) == expected)
                }
                #expect(try await store.existing(apart.id) == apart)
                #expect(try await store.dependents(of: first.id) == [second.id])
                #expect(try await store.dependents(of: other.id) == [second.id, apart.id])
            }
        },
        Behaviour("failsALineOfAnyLength") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("0").id
            // Numbers are assigned in order, so that each can name the one before it.
            let news = try (1..<3_000).map { number in
                let before = TransferID(rawValue: first.rawValue + Int64(number) - 1)
                return try Sample.new("\(number)", after: [before])
            }
            let ids = try await [first] + store.add(news, holder: nil, at: Sample.start).map(\.transfer.id)
            let never = try await store.addOne("never", after: ids)
            try await store.end(first, .failed(Sample.failure), owner, at: Sample.start + 1)
            #expect(try await store.counts() == [.failed: 3_001])
            guard case .failed(let failure) = try await store.existing(never.id).state else { return }
            #expect(failure.message.count < 200 && failure.cause == Sample.failure.cause)
        },
        Behaviour("leavesAPausedTransferPausedWhateverBecomesOfOthers") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for end in [TransferState.completed, .failed(Sample.failure), .cancelled] {
                let first = try await store.addOne("first \(end.name)").id
                let last = try await store.addOne("last \(end.name)", after: [first]).id
                let paused = try await store.ask(.pause, of: last, at: Sample.start + 1)
                #expect(paused.state == .paused && paused.dependencies == [first])
                try await store.end(first, end, owner, at: Sample.start + 2)
                #expect(try await store.existing(last).state == .paused)
                guard end == .completed else {
                    await expectError {
                        $0.isNotPossible(last)
                    } _: {
                        _ = try await store.requeue(last, holder: nil, at: Sample.start + 3)
                    }
                    #expect(try await store.existing(last) == paused)
                    continue
                }
                #expect(
                    try await store.requeue(last, holder: nil, at: Sample.start + 3).state == .queued
                )
            }
        },
    ]

    private static let retrying: [Behaviour] = [
        Behaviour("waitsAgainWhenWhatFailedIsTriedAgain") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("first").id
            let last = try await store.addOne("last", after: [first]).id
            try await store.end(first, .failed(Sample.failure), owner, at: Sample.start + 1)
            await expectError {
                $0.isNotPossible(last)
            } _: {
                _ = try await store.requeue(last, holder: nil, at: Sample.start + 2)
            }
            await expectError {
                $0.isNotPossible(last)
            } _: {
                _ = try await store.addOne("last")
            }
            _ = try await store.requeue(first, holder: nil, at: Sample.start + 3)
            guard case .failed = try await store.existing(last).state else {
                Issue.record("no one asked for the last one")
                return
            }
            let waiting = try await store.requeue(last, holder: owner, at: Sample.start + 4)
            #expect(waiting.state == .waiting(.dependency) && waiting.claim?.owner == owner)
            // Queued again, it does not skip its dependency.
            let asked = try await store.requeue(last, holder: owner, at: Sample.start + 5)
            #expect(asked.state == .waiting(.dependency) && asked.dependencies == [first])
            try await store.end(first, .completed, owner, at: Sample.start + 6)
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [last])
        },
        Behaviour("goesOnAtOnceWhenWhatFailedWasCompletedInTheMeantime") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("first").id
            let last = try await store.addOne("last", after: [first]).id
            try await store.end(first, .failed(Sample.failure), owner, at: Sample.start + 1)
            _ = try await store.requeue(first, holder: nil, at: Sample.start + 2)
            try await store.end(first, .completed, owner, at: Sample.start + 3)
            let failed = try await store.existing(last)
            #expect(failed.state.name == .failed && failed.dependencies == [])
            #expect(try await store.requeue(last, holder: nil, at: Sample.start + 4).state == .queued)
        },
        Behaviour("neverTakesAForgottenTransferForACompletedOne") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("first").id
            let last = try await store.addOne("last", after: [first]).id
            try await store.end(first, .cancelled, owner, at: Sample.start + 1)
            try await store.forget([first])
            let before = try await store.existing(last)
            #expect(before.dependencies == [first])
            await expectError {
                $0.isNotPossible(last)
            } _: {
                _ = try await store.requeue(last, holder: nil, at: Sample.start + 2)
            }
            #expect(try await store.existing(last) == before)
            try await store.forget([last])
            #expect(try await store.addOne("last").state == .queued)
            #expect(try await store.dependents(of: first) == [])
        },
    ]
}

extension TransferStore {
    /// Claims a transfer and ends its attempt.
    fileprivate func end(
        _ id: TransferID,
        _ state: TransferState,
        _ owner: OwnerID,
        at now: Instant
    ) async throws {
        let claim = try await claimOne(id, for: owner, at: now).claim
        if state == .cancelled { _ = try await ask(.cancel(keepingPart: false), of: id, at: now) }
        try await settle(claim, as: Settlement(state, progress: DownloadProgress()), at: now)
    }
}

extension TransferStoreConformance {
    static let valuing: [Behaviour] = [
        Behaviour("givesValuesInTheCommitThatCompletesTheirSource") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let source = try await store.addSource()
            let other = try await store.addOne("other").id
            let added = try await store.addTaker(of: [source], after: [other])
            #expect(added.dependencies == [source.id, other])
            #expect(added.state == .waiting(.dependency) && added.request?.progress.values == nil)
            let paused = try await store.addTaker(of: [source])
            _ = try await store.ask(.pause, of: paused.id, at: Sample.start)
            try await store.complete(source.id, #"{"id": 9223372036854775808}"#, owner)
            let given = try await store.existing(added.id)
            #expect(given.request?.progress.values == ["v0": .json("9223372036854775808")])
            #expect(given.state == .waiting(.dependency) && given.dependencies == [other])
            let held = try await store.existing(paused.id)
            #expect(
                held.state == .paused && held.request?.progress.values == ["v0": .json("9223372036854775808")]
            )
            // Its response is no longer needed.
            try await store.forget([source.id])
            let (last, lastClaim) = try await store.claimOne(other, for: owner, at: Sample.start + 1)
            let end = Settlement(.completed, progress: last.work.progress)
            try await store.settle(lastClaim, as: end, at: Sample.start + 1)
            let (ready, claim) = try await store.claimOne(added.id, for: owner, at: Sample.start + 2)
            #expect(ready.request?.progress.values == given.request?.progress.values)
            let done = Settlement(.completed, progress: ready.work.progress)
            try await store.settle(claim, as: done, at: Sample.start + 3)
            let ended = try await store.existing(added.id)
            #expect(ended.request?.progress.values == nil, "values may be secrets")
            #expect(ended.request?.specification.values.keys.sorted() == ["v0"])
        },
        Behaviour("takesTheValuesOfACompletedSourceAtOnce") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let (first, second) = (try await store.addSource(), try await store.addSource())
            try await store.complete(first.id, #"{"id": "a"}"#, owner)
            let both = try await store.addTaker(of: [first, second])
            #expect(
                both.dependencies == [second.id] && both.request?.progress.values == ["v0": .json("\"a\"")]
            )
            #expect(try await store.existing(both.id) == both)
            try await store.complete(second.id, "{}", owner)
            let ready = try await store.existing(both.id)
            guard case .missing? = ready.request?.progress.values?["v1"] else {
                Issue.record("\(String(describing: ready.request?.progress.values))")
                return
            }
            #expect(ready.state == .queued && ready.request?.progress.values?["v0"] == .json("\"a\""))
        },
        Behaviour("refusesASourceThatHasNoResponse") { store in
            let download = try await store.addOne("a.bin")
            await #expect(throws: StoreError.self) { try await store.addTaker(of: [download]) }
            var unknown = try await store.addSource()
            try await store.forgetEnded(unknown)
            await #expect(throws: StoreError.noTransferNamed(unknown.uuid)) {
                try await store.addTaker(of: [unknown])
            }
            unknown = try await store.addSource()
            _ = try await store.ask(.cancel(keepingPart: false), of: unknown.id, at: Sample.start)
            await #expect(throws: StoreError.self) { try await store.addTaker(of: [unknown]) }
            #expect(try await store.counts()[.queued] == 1)
        },
        Behaviour("letsTransfersOfOneCallReferToEarlierOnes") { store in
            let uuids = (1...3).compactMap { TransferUUID(bytes: Array(repeating: $0, count: 16)) }
            let url = try HTTPURL(parsing: "https://api.example/orders")
            let first = NewTransfer(try RequestSpecification(url: url), uuid: uuids[0])
            var request = try RequestSpecification(url: url)
            try request.insert("id", from: uuids[0], at: "/id")
            let second = NewTransfer(request, uuid: uuids[1])
            var third = NewTransfer(try RequestSpecification(url: url), uuid: uuids[2])
            third.afterUUIDs = [uuids[0], uuids[1]]
            let added = try await store.add([first, second, third], holder: nil, at: Sample.start).map(
                \.transfer
            )
            #expect(added.map(\.dependencies) == [[], [added[0].id], [added[0].id, added[1].id]])
            #expect(try await store.transfers(added.map(\.id)) == added)
            let again = try await store.add([first, second, third], holder: nil, at: Sample.start)
            #expect(again.map(\.transfer.id) == added.map(\.id))
            // Not to later ones, nor to itself.
            var itself = third
            itself.uuid = TransferUUID(bytes: Array(repeating: 4, count: 16))
            itself.afterUUIDs = [try #require(itself.uuid)]
            await #expect(throws: StoreError.self) {
                try await store.add([itself], holder: nil, at: Sample.start)
            }
        },
    ]
}

extension TransferStore {
    fileprivate func addSource() async throws -> Transfer {
        let request = try RequestSpecification(url: HTTPURL(parsing: "https://api.example/source"))
        return try #require(
            try await add([NewTransfer(request)], holder: nil, at: Sample.start).first
        ).transfer
    }

    /// Adds a request that needs the member `id` of each response, as `v0`, `v1` and so on.
    fileprivate func addTaker(
        of sources: [Transfer],
        after others: [TransferID] = []
    ) async throws -> Transfer {
        var request = try RequestSpecification(url: HTTPURL(parsing: "https://api.example/{v0}"))
        for (number, source) in sources.enumerated() {
            try request.insert("v\(number)", from: source.uuid, at: "/id")
        }
        let new = NewTransfer(request, after: others)
        return try #require(try await add([new], holder: nil, at: Sample.start).first).transfer
    }

    fileprivate func complete(_ id: TransferID, _ body: String, _ owner: OwnerID) async throws {
        let claim = try await claimOne(id, for: owner).claim
        var progress = RequestProgress()
        progress.sent = Sample.start
        progress.response = StoredResponse(status: 200, fields: [], body: Array(body.utf8))
        try await settle(
            claim,
            as: Settlement(.completed, progress: .request(progress)),
            at: Sample.start + 1
        )
    }

    fileprivate func forgetEnded(_ transfer: Transfer) async throws {
        _ = try await ask(.cancel(keepingPart: false), of: transfer.id, at: Sample.start)
        try await forget([transfer.id])
    }
}
