import FerryCore
import Testing

/// Time windows. ``Sample/start`` is 22:13:20 on a Tuesday in UTC, which the suite's store uses.
extension TransferStoreConformance {
    static let windows: [Behaviour] = [
        Behaviour("letsWhatIsAddedOutsideOfItsWindowWait") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let outside = try await store.addOne("a", window: "23:00-23:30")
            let inside = try await store.addOne("b", window: "22:00-23:30")
            let held = try await store.addOne("c", window: "23:00-23:30", holder: owner)
            for transfer in [outside, held] {
                #expect(transfer.state == .waiting(.window(opens: Sample.eleven)))
                #expect(try await store.existing(transfer.id) == transfer)
            }
            #expect(held.claim?.owner == owner)
            #expect(try await store.counts() == [.waiting: 2, .queued: 1])
            #expect(try await store.claimIDs(upTo: 9, for: owner) == [inside.id])
            #expect(try await store.nextWakeTime(for: owner) == Sample.eleven)
            #expect(try await !store.waitsForRoom(owner, at: Sample.start))
            let claimed = try await store.claim(upTo: 9, only: nil, for: owner, at: Sample.eleven)
            #expect(claimed.map(\.id) == [outside.id, held.id] && claimed.allSatisfy { $0.attempts == 1 })
        },
        Behaviour("claimsNothingWhoseWindowHasClosedWhileItStoodInLine") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("a", window: "22:00-22:30")
            let second = try await store.addOne("b", window: "22:00-22:30")
            let other = try await store.addOne("c", window: "23:00-23:30, 22:00-22:30")
            let free = try await store.addOne("d")
            let closed = Sample.eleven + 1
            #expect(try await store.claimIDs(upTo: 1, for: owner, at: closed) == [other.id])
            let opens = Sample.start.advanced(by: .seconds(86_400 - 800))
            for id in [first.id, second.id] {
                let waiting = try await store.existing(id)
                #expect(waiting.state == .waiting(.window(opens: opens)) && waiting.attempts == 0)
                #expect(waiting.updated == closed)
            }
            #expect(try await store.counts() == [.waiting: 2, .queued: 1, .active: 1])
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: closed) == [free.id])
            #expect(try await store.nextWakeTime(for: owner) == opens)
            #expect(try await store.transfers(.waiting(.window), after: nil, limit: 9).count == 2)
            #expect(try await store.claimIDs(upTo: 1, for: owner, at: opens) == [first.id])
        },
        Behaviour("closesAWindowForWhatComesBackWhileItIsClosed") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let late = Sample.eleven
            for (number, comesBack) in comebacks.enumerated() {
                let added = try await store.addOne("file-\(number)", window: "22:00-22:30")
                let claim = try await store.claimOne(added.id, for: owner).claim
                let waiting = try await comesBack(store, claim, late)
                let opens = Sample.start.advanced(by: .seconds(86_400 - 800))
                #expect(waiting.state == .waiting(.window(opens: opens)), "\(number)")
                #expect(try await store.existing(added.id) == waiting)
                #expect(try await store.claimIDs(upTo: 9, for: owner, at: late) == [])
            }
        },
        Behaviour("letsARetryThatComesDueOutsideOfTheWindowWaitForThat") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let added = try await store.addOne("a", window: "22:00-22:30")
            let claim = try await store.claimOne(added.id, for: owner).claim
            let retry = Settlement(
                .waiting(.retry(at: Sample.eleven)),
                progress: DownloadProgress(),
                attempts: 1
            )
            #expect(try await store.settle(claim, as: retry, at: Sample.start).state == retry.state)
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: Sample.eleven) == [])
            let opens = Sample.start.advanced(by: .seconds(86_400 - 800))
            #expect(try await store.existing(added.id).state == .waiting(.window(opens: opens)))
            #expect(try await store.existing(added.id).attempts == 1)
        },
        Behaviour("freesWhatGetsAWindowThatIsOpen") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for text in ["off", "22:00-22:30"] {
                let added = try await store.addOne("file-\(text)", window: "23:00-23:30")
                var edit = TransferEdit()
                edit.window = try TimeWindow(parsing: "23:10-23:30")
                let later = Sample.eleven.advanced(by: .seconds(600))
                #expect(
                    try await store.edit(added.id, edit, at: Sample.start).state
                        == .waiting(.window(opens: later))
                )
                edit.window = try TimeWindow(parsing: text)
                #expect(try await store.edit(added.id, edit, at: Sample.start).state == .queued)
                #expect(try await store.claimIDs(upTo: 9, for: owner) == [added.id])
                #expect(try await store.orders(for: [added.id]).first??.window == edit.window)
            }
        },
        Behaviour("waitsForOthersBeforeItsWindow") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("a")
            let second = try await store.addOne("b", window: "23:00-23:30", after: [first.id])
            #expect(second.state == .waiting(.dependency))
            let claim = try await store.claimOne(first.id, for: owner).claim
            try await store.settle(
                claim,
                as: Settlement(.completed, progress: DownloadProgress()),
                at: Sample.start
            )
            #expect(try await store.existing(second.id).state == .waiting(.window(opens: Sample.eleven)))
        },
        Behaviour("asksAgainWhereAnOpeningWasSetWhileTheClockWasWrong") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let wrong = Sample.start.advanced(by: .seconds(365 * 86_400))
            let closed = try await store.addOne("a", window: "23:00-23:30", at: wrong)
            let open = try await store.addOne("b", window: "22:30-23:30", at: wrong)
            #expect(try await store.existing(closed.id).state.name == .waiting)
            let moment = Sample.start.advanced(by: .seconds(1200))
            #expect(try await store.claimIDs(upTo: 9, for: owner, at: moment) == [open.id])
            #expect(try await store.existing(closed.id).state == .waiting(.window(opens: Sample.eleven)))
        },
    ]

    /// The ways in which a running transfer returns to its line.
    private static let comebacks: [@Sendable (any TransferStore, Claim, Instant) async throws -> Transfer] = [
        { store, claim, now in
            try await store.settle(claim, as: Settlement(.queued, progress: DownloadProgress()), at: now)
        },
        { store, claim, now in
            let settlement = Settlement(.queued, progress: DownloadProgress(), keepsHold: true)
            return try await store.settle(claim, as: settlement, at: now)
        },
        { store, claim, now in
            let waiting = Settlement(.waiting(.network), progress: DownloadProgress())
            try await store.settle(claim, as: waiting, at: now)
            let freed = try await store.endWait(of: claim.transfer, for: .network, holder: nil, at: now)
            return try #require(freed)
        },
        { store, claim, now in
            let paused = Settlement(.paused, progress: DownloadProgress())
            try await store.settle(claim, as: paused, at: now)
            return try await store.requeue(claim.transfer, holder: nil, at: now)
        },
    ]
}

extension TransferStore {
    /// Adds one transfer with a time window.
    fileprivate func addOne(
        _ name: String,
        window: String,
        after others: [TransferID] = [],
        holder: OwnerID? = nil,
        at now: Instant = Sample.start
    ) async throws -> Transfer {
        var new = try Sample.new(name, after: others)
        new.specification.options.window = try TimeWindow(parsing: window)
        return try #require(try await add([new], holder: holder, at: now).first).transfer
    }
}

extension Sample {
    /// The next moment at which it is 23:00.
    fileprivate static let eleven = start.advanced(by: .seconds(2800))
}
