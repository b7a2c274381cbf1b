import FerryCore
import Testing

/// Deadlines, after which no attempt begins.
enum DeadlineBehaviours {
    typealias Behaviour = TransferStoreConformance.Behaviour

    /// Every behaviour.
    static let all: [Behaviour] = [
        Behaviour("failsAtItsDeadlineWhateverItWaitsFor") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let states: [TransferState] = [
                .queued, .waiting(.retry(at: Sample.start + 90)), .waiting(.network), .waiting(.newURL),
                .waiting(.applicationInactive), .waiting(.diskSpace(needed: 1)), .waiting(.diskMount),
                .paused,
            ]
            var ids: [TransferID] = []
            for (number, state) in states.enumerated() {
                let added = try await store.addOne("file-\(number)", notAfter: Sample.start + 50)
                ids.append(try await store.bring(added, to: state, owner: owner).id)
            }
            let first = try await store.addOne("first")
            let dependent = try await store.addOne("last", notAfter: Sample.start + 50, after: [first.id])
            ids.append(dependent.id)
            let later = try await store.addOne("later", notAfter: Sample.start + 60)
            #expect(try await store.nextDeadline() == Sample.start + 50)
            #expect(try await store.failOverdue(at: Sample.start + 49) == [])
            let failed = try await store.failOverdue(at: Sample.start + 50)
            #expect(Set(failed.map(\.id)) == Set(ids))
            for id in ids {
                let transfer = try await store.existing(id)
                #expect(transfer.failureCode == .deadlinePassed && transfer.claim == nil)
                #expect(transfer.finished == Sample.start + 50)
                #expect(failed.contains(transfer))
            }
            #expect(try await store.nextDeadline() == Sample.start + 60)
            #expect(try await store.existing(later.id).state == .queued)
            #expect(try await store.counts() == [.failed: ids.count, .queued: 2])
            #expect(try await store.failOverdue(at: Sample.start + 50) == [], "once")
        },
        Behaviour("claimsNothingPastItsDeadline") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let held = try await store.addOne("a", notAfter: Sample.start + 50, holder: owner)
            let late = try await store.addOne("b", notAfter: Sample.start + 50)
            let other = try await store.addOne("c", notAfter: Sample.start + 51)
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.start + 50) == [other.id])
            for id in [held.id, late.id] {
                let transfer = try await store.existing(id)
                #expect(transfer.failureCode == .deadlinePassed && transfer.attempts == 0)
            }
            #expect(try await store.nextDeadline() == nil)
        },
        Behaviour("finishesTheAttemptThatRunsAtItsDeadline") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let outcomes: [(TransferState, TransferFailure.Code?)] = [
                (.completed, nil), (.waiting(.retry(at: Sample.start + 90)), .deadlinePassed),
                (.queued, .deadlinePassed), (.paused, .deadlinePassed),
                (.failed(Sample.failure), Sample.failure.code),
            ]
            for (number, (state, code)) in outcomes.enumerated() {
                let added = try await store.addOne("file-\(number)", notAfter: Sample.start + 50)
                let claim = try await store.claimOne(added.id, for: owner).claim
                #expect(try await store.failOverdue(at: Sample.start + 60) == [])
                #expect(try await store.nextDeadline() == nil)
                let settlement = Settlement(state, progress: DownloadProgress(), failure: Sample.failure)
                let settled = try await store.settle(claim, as: settlement, at: Sample.start + 60)
                #expect(settled.failureCode == code)
                #expect(code != nil || settled.state == .completed)
                #expect(try await store.existing(added.id) == settled)
            }
        },
        Behaviour("failsWhatComesAfterATransferPastItsDeadline") { store in
            let first = try await store.addOne("a", notAfter: Sample.start + 50)
            let second = try await store.addOne("b", after: [first.id])
            let third = try await store.addOne("c", after: [second.id])
            #expect(try await store.failOverdue(at: Sample.start + 50).map(\.id) == [first.id])
            for id in [second.id, third.id] {
                guard case .failed(let failure) = try await store.existing(id).state else {
                    Issue.record("\(id)")
                    continue
                }
                #expect(failure.code == .dependencyFailed && failure.cause == .deadlinePassed)
            }
        },
        Behaviour("saysThatARequestPastItsDeadlineMayHaveArrived") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let url = try HTTPURL(parsing: "https://example.com/orders")
            for (key, isSent, code) in [
                (IdempotencyKey(value: "1"), true, TransferFailure.Code.deadlinePassed),
                (nil, true, .outcomeUnknown), (nil, false, .deadlinePassed),
            ] {
                var request = try RequestSpecification(method: .post, url: url, key: key)
                request.notAfter = Sample.start + 50
                let new = NewTransfer(request)
                let added = try #require(try await store.add([new], holder: nil, at: Sample.start).first)
                let claim = try await store.claimOne(added.transfer.id, for: owner).claim
                var progress = RequestProgress()
                progress.sent = isSent ? Sample.start : nil
                let retry = Settlement(.waiting(.retry(at: Sample.start + 90)), progress: .request(progress))
                #expect(try await store.settle(claim, as: retry, at: Sample.start).state == retry.state)
                _ = try await store.failOverdue(at: Sample.start + 50)
                guard case .failed(let failure) = try await store.existing(added.transfer.id).state else {
                    Issue.record("it has not failed")
                    continue
                }
                #expect(failure.code == code)
                #expect(failure.message.contains("may have arrived") == isSent, "\(failure.message)")
            }
        },
        Behaviour("refusesToResumeWhatIsPastItsDeadline") { store in
            let paused = try await store.addOne("a", notAfter: Sample.start + 50)
            _ = try await store.ask(.pause, of: paused.id, at: Sample.start)
            await expectError({ $0.isNotPossible(paused.id) }) {
                _ = try await store.requeue(paused.id, holder: nil, at: Sample.start + 50)
            }
            _ = try await store.failOverdue(at: Sample.start + 50)
            await expectError({ $0.isNotPossible(paused.id) }) {
                _ = try await store.requeue(paused.id, holder: nil, at: Sample.start + 50)
            }
            var edit = TransferEdit()
            edit.notAfter = Sample.start + 90
            _ = try await store.edit(paused.id, edit, at: Sample.start + 50)
            let later = try await store.requeue(paused.id, holder: nil, at: Sample.start + 50)
            #expect(later.state == .queued)
            #expect(try await store.nextDeadline() == Sample.start + 90)
            _ = try await store.failOverdue(at: Sample.start + 90)
            let again = try await store.addOne("a", notAfter: nil, at: Sample.start + 90)
            #expect(again.id == paused.id && again.state == .queued, "it is asked for without the deadline")
        },
    ]
}

extension TransferStore {
    /// Adds one transfer with a deadline.
    fileprivate func addOne(
        _ name: String,
        notAfter: Instant?,
        after others: [TransferID] = [],
        holder: OwnerID? = nil,
        at now: Instant = Sample.start
    ) async throws -> Transfer {
        var new = try Sample.new(name, after: others)
        new.specification.options.notAfter = notAfter
        return try #require(try await add([new], holder: holder, at: now).first).transfer
    }
}

extension Transfer {
    fileprivate var failureCode: TransferFailure.Code? {
        if case .failed(let failure) = state { failure.code } else { nil }
    }
}
