import FerryCore
import Testing

extension TransferStoreConformance {
    static let steering: [Behaviour] = [
        Behaviour("answersEveryWishInEveryStateAsTheTransitionsSay") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let wishes: [Wish] = [.pause, .cancel(keepingPart: false), .cancel(keepingPart: true), .reload]
            for (number, state) in everyState.enumerated() {
                for wish in wishes {
                    let former = try await store.addOne("\(number)-\(wish.name)", in: state, owner: owner)
                    try await Self.expectTransition(of: former, in: store) { transfer throws(StoreError) in
                        try transfer.ask(wish, at: Sample.start + 3)
                    } by: { () throws(StoreError) in
                        try await store.ask(wish, of: former.id, at: Sample.start + 3)
                    }
                }
            }
        },
        Behaviour("requeuesFromEveryStateAsTheTransitionsSay") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() {
                for holder in [nil, owner] {
                    let name = "\(number)-\(holder == nil)"
                    let former = try await store.addOne(name, in: state, owner: owner)
                    let token: Int64 = former.attempts == 0 ? 1 : 2
                    try await Self.expectTransition(of: former, in: store) { transfer throws(StoreError) in
                        try transfer.requeue(holder: holder, token: token, at: Sample.start + 3)
                    } by: { () throws(StoreError) in
                        try await store.requeue(former.id, holder: holder, at: Sample.start + 3)
                    }
                }
            }
        },
        Behaviour("holdsACancelledTransferUntilItsPartFileIsGone") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, hasPart) in [true, false].enumerated() {
                let added = try await store.addOne("\(number)")
                let former = try await store.claimOne(added.id, for: owner).claim
                var progress = try Sample.progress(received: 40)
                if hasPart { progress.part = Sample.part }
                let paused = Settlement(.paused, progress: progress)
                var expected = try await store.settle(former, as: paused, at: Sample.start)
                let wish = Wish.cancel(keepingPart: false)
                try expected.ask(wish, holder: owner, token: former.token + 1, at: Sample.start + 1)
                let cancelled = try await store.ask(wish, of: added.id, holder: owner, at: Sample.start + 1)
                #expect(cancelled == expected && (cancelled.claim != nil) == hasPart)
                #expect(try await store.existing(added.id) == expected)
                #expect(try await store.claimIDs(upTo: 9, for: owner) == [])
                guard let claim = cancelled.claim else { continue }
                await expectError {
                    $0 == .claimLost(former.transfer)
                } _: {
                    try await store.settle(former, as: paused, at: Sample.start + 2)
                }
                progress.part = nil
                let gone = Settlement(.cancelled, progress: progress)
                let settled = try await store.settle(claim, as: gone, at: Sample.start + 2)
                #expect(
                    settled.state == .cancelled && settled.claim == nil
                        && settled.downloadProgress.part == nil
                )
                #expect(try await store.existing(added.id) == settled)
            }
        },
        Behaviour("freesACancelledTransferWhoseOwnerDied") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("file")
            let claim = try await store.claimOne(added.id, for: owner).claim
            var progress = try Sample.progress(received: 40)
            progress.part = Sample.part
            try await store.settle(claim, as: Settlement(.paused, progress: progress), at: Sample.start)
            let wish = Wish.cancel(keepingPart: false)
            _ = try await store.ask(wish, of: added.id, holder: owner, at: Sample.start)
            #expect(try await store.remove(owner, at: Sample.start + 1) == [added.id])
            let freed = try await store.existing(added.id)
            #expect(
                freed.state == .cancelled && freed.claim == nil
                    && freed.downloadProgress.part == progress.part
            )
            #expect(
                freed.downloadProgress.segments.received == 0,
                "what is to be removed is not claimed any more"
            )
        },
        Behaviour("endsAWaitForJustThatCondition") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let conditions = everyState.compactMap { state in
                if case .waiting(let condition) = state { condition } else { nil }
            }
            for (number, state) in everyState.enumerated() {
                for (other, condition) in conditions.enumerated() {
                    let name = "\(number)-\(other)"
                    let former = try await store.addOne(name, in: state, owner: owner)
                    var expected = former
                    let isEnded = expected.endWait(for: condition, at: Sample.start + 3)
                    #expect(isEnded == (state == .waiting(condition)))
                    let ended = try await store.endWait(
                        of: former.id,
                        for: condition,
                        holder: nil,
                        at: Sample.start + 3
                    )
                    #expect(ended == (isEnded ? expected : nil))
                    #expect(try await store.existing(former.id) == expected)
                }
            }
            let unknown = TransferID(rawValue: .max)
            #expect(
                try await store.endWait(of: unknown, for: .network, holder: owner, at: Sample.start) == nil
            )
        },
        Behaviour("endsAWaitOfWhatIsHeldForItsHolderOnly") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let added = try await store.addOne("file", holder: owner)
            let claim = try await store.claimOne(added.id, for: owner).claim
            var settlement = Settlement(.waiting(.network), progress: added.downloadProgress, attempts: 3)
            settlement.keepsHold = true
            try await store.settle(claim, as: settlement, at: Sample.start + 1)
            for holder in [nil, other] {
                #expect(
                    try await store.endWait(of: added.id, for: .network, holder: holder, at: Sample.start + 2)
                        == nil
                )
            }
            let ended = try await store.endWait(
                of: added.id,
                for: .network,
                holder: owner,
                at: Sample.start + 3
            )
            #expect(ended?.state == .queued && ended?.claim?.owner == owner && ended?.attempts == 3)
            #expect(try await store.existing(added.id) == ended)
        },
        Behaviour("editsInEveryStateAsTheTransitionsSay") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() {
                for (kind, edit) in try Self.edits(number).enumerated() {
                    let former = try await store.addOne("\(number)-\(kind)", in: state, owner: owner)
                    try await Self.expectTransition(of: former, in: store) { transfer throws(StoreError) in
                        try transfer.apply(edit, at: Sample.start + 3)
                    } by: { () throws(StoreError) in
                        try await store.edit(former.id, edit, at: Sample.start + 3)
                    }
                }
            }
        },
        Behaviour("knowsNothingOfATransferThatIsNotThere") { store in
            let id = TransferID(rawValue: 12)
            for wish in [Wish.pause, .cancel(keepingPart: true)] {
                await expectError {
                    $0 == .noSuchTransfer(id)
                } _: {
                    _ = try await store.ask(wish, of: id, at: Sample.start)
                }
            }
            await expectError {
                $0 == .noSuchTransfer(id)
            } _: {
                _ = try await store.requeue(id, holder: nil, at: Sample.start)
            }
            await expectError {
                $0 == .noSuchTransfer(id)
            } _: {
                _ = try await store.edit(id, TransferEdit(), at: Sample.start)
            }
            await expectError {
                $0 == .noSuchTransfer(id)
            } _: {
                try await store.forget([id])
            }
            let transfer = try await store.transfer(id)
            #expect(transfer == nil)
        },
        Behaviour("takesBackAPauseThatWasNotYetObeyed") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let active = try await store.addOne("file", in: .active, owner: owner)
            _ = try await store.ask(.pause, of: active.id, at: Sample.start)
            let resumed = try await store.requeue(active.id, holder: nil, at: Sample.start + 1)
            #expect(resumed.wish == nil && resumed.state == .active && resumed.claim == active.claim)
        },
        Behaviour("freesAHeldTransferThatIsPaused") { store in
            let owner = try await store.join(Sample.process(1), at: Sample.start)
            let other = try await store.join(Sample.process(2), at: Sample.start)
            let held = try await store.addOne("file", holder: owner)
            let paused = try await store.ask(.pause, of: held.id, at: Sample.start)
            #expect(paused.claim == nil && paused.state == .paused)
            _ = try await store.requeue(held.id, holder: nil, at: Sample.start)
            #expect(try await store.claimIDs(upTo: 1, for: other) == [held.id])
        },
        Behaviour("fencesOffWhatWasHeldBeforeItWasRequeued") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let active = try await store.addOne("file", in: .active, owner: owner)
            let claim = try #require(active.claim)
            try await store.settle(
                claim,
                as: Settlement(.paused, progress: DownloadProgress()),
                at: Sample.start
            )
            let held = try await store.requeue(active.id, holder: owner, at: Sample.start)
            #expect(try #require(held.claim).token > claim.token && held.claim?.owner == owner)
            let again = try await store.claimOne(active.id, for: owner).claim
            #expect(again.token > (held.claim?.token ?? .max))
        },
        Behaviour("doesNotRequeueForAnOwnerThatHasLeft") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let paused = try await store.addOne("file", in: .paused, owner: owner)
            _ = try await store.remove(owner, at: Sample.start)
            await expectError(\.isUnavailable) {
                _ = try await store.requeue(paused.id, holder: owner, at: Sample.start)
            }
            #expect(try await store.existing(paused.id) == paused)
        },
        Behaviour("claimsByThePriorityAsItWasEdited") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("a")
            let second = try await store.addOne("b")
            var edit = TransferEdit()
            edit.priority = 1
            _ = try await store.edit(second.id, edit, at: Sample.start)
            #expect(try await store.claimIDs(upTo: 2, for: owner) == [second.id, first.id])
        },
        Behaviour("doesNotEditTwoTransfersIntoOne") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let states = everyState.filter { !$0.isFinal }
            let edited = try await store.addOne("edited")
            for (number, state) in states.enumerated() {
                let other = try await store.addOne("other-\(number)", in: state, owner: owner)
                var edit = TransferEdit()
                edit.url = other.specification.url
                await expectError {
                    $0.isNotPossible(edited.id)
                } _: {
                    _ = try await store.edit(edited.id, edit, at: Sample.start + 1)
                }
                #expect(try await store.existing(edited.id) == edited)
            }
            _ = try await store.addOne("over", in: .completed, owner: owner)
            var edit = TransferEdit()
            edit.url = try Sample.specification("over").url
            let result = try await store.edit(edited.id, edit, at: Sample.start + 1)
            let additions = try await store.add([Sample.new("over")], holder: nil, at: Sample.start)
            #expect(additions == [.attached(result)], "the edited identity is the one that counts")
            let former = try await store.add([Sample.new("edited")], holder: nil, at: Sample.start)
            #expect(former.first?.transfer.id != edited.id)
        },
        Behaviour("forgetsWhatIsOverAndOnlyThat") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() {
                let transfer = try await store.addOne("file-\(number)", in: state, owner: owner)
                if state.isFinal {
                    try await store.forget([transfer.id, transfer.id])
                    #expect(try await store.transfer(transfer.id) == nil)
                } else {
                    await expectError {
                        $0.isNotPossible(transfer.id)
                    } _: {
                        try await store.forget([transfer.id])
                    }
                    #expect(try await store.existing(transfer.id) == transfer)
                }
            }
            try await store.forget([])
        },
        Behaviour("forgetsAllOrNothing") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("failed")
            let claim = try await store.claimOne(added.id, for: owner).claim
            let failed = try await store.settle(
                claim,
                as: Settlement(
                    .failed(Sample.failure),
                    progress: DownloadProgress(),
                    failure: Sample.failure
                ),
                at: Sample.start
            )
            let queued = try await store.addOne("queued")
            let missing = TransferID(rawValue: 1_000)
            await expectError {
                $0.isNotPossible(queued.id)
            } _: {
                try await store.forget([failed.id, queued.id])
            }
            await expectError {
                $0 == .noSuchTransfer(missing)
            } _: {
                try await store.forget([failed.id, missing])
            }
            #expect(try await store.existing(failed.id) == failed)
            #expect(try await store.attempts(of: failed.id).count == 1)
            try await store.forget([failed.id])
            #expect(try await store.attempts(of: failed.id) == [])
        },
        Behaviour("givesUpTheClaimOnAPartFileThatIsToBeKept") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for isRunning in [true, false] {
                for keepsPart in [true, false] {
                    let added = try await store.addOne("part-\(isRunning)-\(keepsPart)")
                    let (_, claim) = try await store.claimOne(added.id, for: owner)
                    var progress = try Sample.progress(received: 10)
                    progress.part = PartFileClaim(
                        name: try FileName(userGiven: "x.part"),
                        identity: FileIdentity(device: 1, inode: 2),
                        boot: BootID(rawValue: "boot")
                    )
                    let waiting = Settlement(.waiting(.newURL), progress: progress)
                    if isRunning {
                        _ = try await store.ask(
                            .cancel(keepingPart: keepsPart),
                            of: added.id,
                            at: Sample.start
                        )
                        try await store.settle(claim, as: waiting, at: Sample.start)
                    } else {
                        try await store.settle(claim, as: waiting, at: Sample.start)
                        _ = try await store.ask(
                            .cancel(keepingPart: keepsPart),
                            of: added.id,
                            at: Sample.start
                        )
                    }
                    let ended = try await store.existing(added.id)
                    #expect(ended.state == .cancelled && (ended.downloadProgress.part == nil) == keepsPart)
                }
            }
        },
    ]

    private static func edits(_ number: Int) throws -> [TransferEdit] {
        var edits = Array(repeating: TransferEdit(), count: 8)
        edits[1].url = try HTTPURL(parsing: "https://example.com/fresh-\(number)")
        edits[2].priority = .min
        edits[3].retries = 0
        edits[4].credentials = .bearer(token: "secret")
        edits[5].headers = [HeaderField(name: "X-One", value: "")]
        var options = DownloadOptions()
        options.existingFile = .overwrite
        edits[6].options = .download(options)
        edits[6].retries = 2
        edits[7].rateLimit = try RateLimit(bytesPerSecond: 1024 + Int64(number))
        return edits
    }

    /// Checks that the store does what the pure transition does, or refuses likewise and changes nothing.
    private static func expectTransition(
        of former: Transfer,
        in store: any TransferStore,
        _ change: (inout Transfer) throws(StoreError) -> Void,
        by action: () async throws(StoreError) -> Transfer
    ) async throws {
        var expected = former
        do throws(StoreError) {
            try change(&expected)
        } catch let refusal {
            await expectError {
                $0 == refusal
            } _: {
                _ = try await action()
            }
            #expect(try await store.existing(former.id) == former)
            return
        }
        #expect(try await action() == expected)
        #expect(try await store.existing(former.id) == expected)
    }
}
