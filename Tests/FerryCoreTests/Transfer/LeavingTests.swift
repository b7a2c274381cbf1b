import FerryCore
import FerryTesting
import Testing

@Suite("A transfer after its owner was stopped")
struct LeavingTests {
    private static let now = Instant(seconds: 1_700_000_000)
    private static let owner = OwnerID(rawValue: 1)
    private static let other = OwnerID(rawValue: 2)

    private func transfer(in state: TransferState, heldBy owner: OwnerID?) throws -> Transfer {
        // Only its owner has requested it.
        var transfer = try TransitionTests.transfer(in: state, claimedBy: owner)
        transfer.isForQueue = false
        return transfer
    }

    /// A transfer whose attempt ended because its owner was stopped.
    private func left(wish: Wish? = nil) throws -> Transfer {
        var transfer = try transfer(in: .active, heldBy: Self.owner)
        if let wish { try transfer.ask(wish, at: Self.now) }
        transfer.settle(
            Settlement(.queued, progress: transfer.downloadProgress, isLeft: true),
            at: Self.now
        )
        return transfer
    }

    /// The transfer after another owner has resumed it; `nil` if no other owner may resume it.
    private func takenUp(_ transfer: Transfer, by holder: OwnerID?) -> Transfer? {
        var transfer = transfer
        return transfer.takeUp(holder: holder, token: 6, at: Self.now) ? transfer : nil
    }

    @Test(arguments: TransitionTests.states)
    func onlyWhatItHoldsAndDoesNotRunIsPaused(_ state: TransferState) throws {
        let isPausable: Bool
        switch state {
        case .queued, .waiting: isPausable = true
        default: isPausable = false
        }
        for holder in [nil, Self.owner, Self.other] {
            var transfer = try transfer(in: state, heldBy: holder)
            let former = transfer
            let isPaused = transfer.pauseHeld(by: Self.owner, at: Self.now)
            #expect(isPaused == (isPausable && holder == Self.owner))
            if isPaused {
                #expect(transfer.state == .paused && transfer.claim == nil && transfer.ledger.left != nil)
            } else {
                #expect(transfer == former)
            }
        }
    }

    @Test func whoeverElseWantsItGoesOnWithAllThatWasCounted() throws {
        for holder in [nil, Self.other] {
            let transfer = try left()
            #expect(transfer.state == .paused && transfer.ledger.left != nil && transfer.claim == nil)
            let again = try #require(takenUp(transfer, by: holder))
            #expect(again.state == .queued && again.ledger.left == nil && again.attempts == 3)
            #expect(again.claim?.owner == holder && again.claim?.token == (holder == nil ? nil : 6))
            #expect(takenUp(again, by: Self.owner) == nil, "one is enough")
        }
    }

    @Test func whatComesAfterOthersGoesOnWaitingForThem() throws {
        var transfer = try transfer(in: .waiting(.dependency), heldBy: Self.owner)
        transfer.dependencies = [TransferID(rawValue: 3)]
        let isPaused = transfer.pauseHeld(by: Self.owner, at: Self.now)
        #expect(isPaused)
        #expect(takenUp(transfer, by: Self.other)?.state == .waiting(.dependency))
    }

    /// A requested pause is kept, whether the request came before, at the same moment or afterwards.
    @Test func aPauseThatWasAskedForIsNotGoneOnWith() throws {
        let before = try transfer(in: .paused, heldBy: nil)
        #expect(takenUp(before, by: Self.other) == nil)
        let meanwhile = try left(wish: .pause)
        #expect(meanwhile.state == .paused)
        #expect(takenUp(meanwhile, by: Self.other) == nil)
        var afterwards = try left()
        try afterwards.ask(.pause, at: Self.now)
        #expect(takenUp(afterwards, by: Self.other) == nil)
    }

    /// After any outcome of the attempt, the queue of another process does not resume it automatically.
    @Test(arguments: TransitionTests.states.filter { $0 != .active })
    func whatIsNotOverIsPaused(_ state: TransferState) throws {
        var transfer = try transfer(in: .active, heldBy: Self.owner)
        if state == .cancelled { try transfer.ask(.cancel(keepingPart: false), at: Self.now) }
        transfer.settle(
            Settlement(state, progress: transfer.downloadProgress, keepsHold: true, isLeft: true),
            at: Self.now
        )
        if state.isFinal {
            #expect(transfer.state == state && transfer.ledger.left == nil)
            #expect(takenUp(transfer, by: Self.other) == nil)
        } else {
            #expect(transfer.state == .paused && transfer.claim == nil)
            #expect(takenUp(transfer, by: Self.other)?.claim?.owner == Self.other)
        }
    }

    @Test func aMomentThatWasWaitedForIsWaitedForByTheNext() throws {
        let moment = Self.now.advanced(by: .seconds(3_600))
        for isRunning in [true, false] {
            let wait = TransferState.waiting(.retry(at: moment))
            var transfer = try self.transfer(in: isRunning ? .active : wait, heldBy: Self.owner)
            if isRunning {
                transfer.settle(
                    Settlement(wait, progress: transfer.downloadProgress, isLeft: true),
                    at: Self.now
                )
            } else {
                let isPaused = transfer.pauseHeld(by: Self.owner, at: Self.now)
                #expect(isPaused)
            }
            #expect(transfer.state == .paused)
            #expect(takenUp(transfer, by: Self.other)?.state == wait)
            var later = transfer
            let goesOn = later.takeUp(holder: nil, token: 6, at: moment)
            #expect(goesOn && later.state == .queued)
        }
    }

    @Test func whoeverAddsItAgainGoesOnWithIt() throws {
        var transfer = try left()
        var paused = try self.transfer(in: .paused, heldBy: nil)
        let again = NewTransfer(transfer.specification)
        let reunion = try transfer.meet(again, holder: nil, token: 6, at: Self.now)
        #expect(reunion == .attached)
        #expect(transfer.state == .queued && transfer.ledger.left == nil)
        _ = try paused.meet(again, holder: nil, token: 6, at: Self.now)
        #expect(paused.state == .queued, "the newest wish counts")
    }

    /// A transfer that was also added to the queue stays in the queue when its owner is stopped.
    @Test func whatIsForTheQueueGoesBackToIt() throws {
        let wait = TransferState.waiting(.retry(at: Self.now.advanced(by: .seconds(3_600))))
        for (state, expected) in [
            (TransferState.queued, TransferState.queued), (wait, wait),
        ] {
            var transfer = try transfer(in: .active, heldBy: Self.owner)
            let again = NewTransfer(transfer.specification)
            _ = try transfer.meet(again, holder: nil, token: 6, at: Self.now)
            transfer.settle(
                Settlement(state, progress: transfer.downloadProgress, isLeft: true),
                at: Self.now
            )
            #expect(transfer.state == expected && transfer.claim == nil && !transfer.isLeft)
        }
        for state in [TransferState.queued, wait] {
            var transfer = try transfer(in: state, heldBy: Self.owner)
            _ = try transfer.meet(NewTransfer(transfer.specification), holder: nil, token: 6, at: Self.now)
            let wasHeld = transfer.pauseHeld(by: Self.owner, at: Self.now)
            #expect(wasHeld && transfer.state == state && transfer.claim == nil)
        }
        var detached = try transfer(in: .active, heldBy: Self.owner)
        try detached.requeue(holder: nil, token: 6, at: Self.now)
        detached.settle(Settlement(.queued, progress: detached.downloadProgress, isLeft: true), at: Self.now)
        #expect(detached.state == .queued)
    }

    /// A pause removes it from the queue, even if another process runs it later.
    @Test func aPauseTakesItFromTheQueue() throws {
        var transfer = try transfer(in: .active, heldBy: Self.owner)
        _ = try transfer.meet(NewTransfer(transfer.specification), holder: nil, token: 6, at: Self.now)
        try transfer.ask(.pause, at: Self.now)
        transfer.settle(Settlement(.queued, progress: transfer.downloadProgress, isLeft: true), at: Self.now)
        #expect(transfer.state == .paused && !transfer.isLeft && !transfer.isForQueue)
        try transfer.requeue(holder: Self.other, token: 7, at: Self.now)
        transfer.becomeActive(for: Self.other, token: 8, at: Self.now)
        transfer.settle(Settlement(.queued, progress: transfer.downloadProgress, isLeft: true), at: Self.now)
        #expect(transfer.isLeft)
    }

    @Test func aCancelIsObeyedAllTheSame() throws {
        let cancelled = try left(wish: .cancel(keepingPart: true))
        #expect(cancelled.state == .cancelled && cancelled.ledger.left == nil)
        #expect(takenUp(cancelled, by: Self.other) == nil)
    }

    /// A finding about the URL of the attempt does not apply to a URL that was given meanwhile.
    @Test func anAttemptTellsOfTheURLThatItAsked() throws {
        let former = try transfer(in: .active, heldBy: Self.owner)
        var edited = former
        var edit = TransferEdit()
        edit.url = try HTTPURL(parsing: "http://example.com/good")
        try edited.apply(edit, at: Self.now)
        var settlement = Settlement(.queued, progress: former.downloadProgress)
        settlement.downloadProgress.mirroring.excluded = [.own: .wrongBytes]
        settlement.asked = former.specification.url
        var same = former
        same.settle(settlement, at: Self.now)
        #expect(same.downloadProgress.mirroring.excluded == [.own: .wrongBytes])
        edited.settle(settlement, at: Self.now)
        #expect(
            edited.downloadProgress.mirroring.excluded == [.mirror(former.specification.url): .wrongBytes]
        )
    }
}
