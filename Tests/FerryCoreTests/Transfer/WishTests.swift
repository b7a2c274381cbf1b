import FerryCore
import FerryTesting
import Testing

/// Of several requests about one transfer, the newest counts (I3).
@Suite("The newest wish counts")
struct WishTests {
    private static let now = Instant(seconds: 1_700_000_000)
    private static let owner = OwnerID(rawValue: 1)
    private static let other = OwnerID(rawValue: 2)

    /// A request for a transfer after its owner was asked to stop it.
    enum Asking: CaseIterable, Sendable {
        case add, get, resume, resumeHere

        func ask(for transfer: inout Transfer) throws {
            let new = NewTransfer(transfer.specification)
            switch self {
            case .add: _ = try transfer.meet(new, holder: nil, token: 6, at: now)
            case .get: _ = try transfer.meet(new, holder: other, token: 6, at: now)
            case .resume: try transfer.requeue(holder: nil, token: 6, at: now)
            case .resumeHere: try transfer.requeue(holder: other, token: 6, at: now)
            }
        }
    }

    static let stops: [Wish] = [.pause, .cancel(keepingPart: false), .cancel(keepingPart: true)]

    private func active(asked wish: Wish) throws -> Transfer {
        var transfer = try TransitionTests.transfer(in: .active, claimedBy: Self.owner)
        try transfer.ask(wish, at: Self.now)
        return transfer
    }

    /// The outcome of an attempt that obeyed.
    private func obeyed(_ wish: Wish, _ transfer: Transfer) -> Settlement {
        // The scheduler settles a paused attempt as released.
        Settlement(wish.isCancel ? .cancelled : .queued, progress: transfer.downloadProgress)
    }

    @Test(arguments: stops, Asking.allCases)
    func whoeverAsksForItTakesBackAStop(_ wish: Wish, _ asking: Asking) throws {
        var transfer = try active(asked: wish)
        try asking.ask(for: &transfer)
        #expect(transfer.state == .active && transfer.wish == nil && transfer.claim?.owner == Self.owner)

        var late = transfer
        late.settle(obeyed(wish, late), at: Self.now)
        #expect(late.state == .queued && late.claim == nil && late.finished == nil)
        var dead = transfer
        dead.lostOwner(.died, isAlone: true, at: Self.now)
        #expect(dead.state == .queued)
        var stopped = transfer
        stopped.settle(Settlement(.completed, progress: stopped.downloadProgress), at: Self.now)
        #expect(stopped.state == .completed)
    }

    @Test(arguments: stops, Asking.allCases)
    func aStopThatIsAskedForAfterwardsCounts(_ wish: Wish, _ asking: Asking) throws {
        for last in Self.stops {
            var transfer = try active(asked: wish)
            try asking.ask(for: &transfer)
            try transfer.ask(last, at: Self.now)
            transfer.settle(obeyed(wish, transfer), at: Self.now)
            #expect(transfer.state == (last == .pause ? .paused : .cancelled), "\(wish) \(asking) \(last)")
            #expect(!transfer.isLeft)
        }
    }

    /// As for a cancelled transfer: a pause that would never happen is not promised.
    @Test func whatIsBeingCancelledIsNeitherPausedNorEdited() throws {
        for wish in Self.stops where wish.isCancel {
            var transfer = try active(asked: wish)
            let before = transfer
            #expect(throws: StoreError.self) { try transfer.ask(.pause, at: Self.now) }
            var edit = TransferEdit()
            edit.priority = 1
            #expect(throws: StoreError.self) { try transfer.apply(edit, at: Self.now) }
            #expect(transfer == before)
            try transfer.ask(.reload, at: Self.now)
            #expect(transfer.wish == wish)
            try transfer.ask(.cancel(keepingPart: true), at: Self.now)
            #expect(transfer.wish == .cancel(keepingPart: true))
        }
    }

    /// No transfer claims a part file that the user kept, or one that was removed.
    @Test func aCancelThatKeepsThePartFileGivesItUp() throws {
        for (asked, obeyed) in [(true, true), (true, false), (false, true)] {
            var transfer = try active(asked: .cancel(keepingPart: obeyed))
            try transfer.ask(.cancel(keepingPart: asked), at: Self.now)
            transfer.downloadProgress.part = PartFileClaim(
                name: try FileName(userGiven: "f.part"),
                identity: FileIdentity(device: 1, inode: 2),
                boot: BootID(rawValue: "b")
            )
            transfer.settle(Settlement(.cancelled, progress: transfer.downloadProgress), at: Self.now)
            #expect(transfer.state == .cancelled)
            #expect((transfer.downloadProgress.part == nil) == asked)
        }
    }

    @Test func aTransferThatGivesWayAndIsAskedForStays() throws {
        var transfer = try TransitionTests.transfer(in: .active, claimedBy: Self.owner)
        transfer.giveWay(to: TransferID(rawValue: 9), at: Self.now)
        #expect(transfer.wish == .cancel(keepingPart: false))
        try Asking.add.ask(for: &transfer)
        #expect(transfer.wish == nil && transfer.latestFailure == nil)
        var pausing = try active(asked: .pause)
        pausing.giveWay(to: TransferID(rawValue: 9), at: Self.now)
        #expect(pausing.wish == .pause, "a pause makes room as well")
        pausing.giveWay(to: TransferID(rawValue: 9), evenPaused: true, at: Self.now)
        #expect(pausing.wish == .cancel(keepingPart: false), "unless what is paused takes up room, too")
    }

    /// The reader of a stream already has the beginning, and does not get it again.
    @Test func aStreamThatWasStoppedFails() throws {
        var transfer = try TransitionTests.transfer(in: .active, claimedBy: Self.owner)
        transfer.specification.destination = .stream(path: "/dev/fd/9")
        try transfer.ask(.cancel(keepingPart: false), at: Self.now)
        try Asking.add.ask(for: &transfer)
        transfer.settle(Settlement(.cancelled, progress: transfer.downloadProgress), at: Self.now)
        guard case .failed(let failure) = transfer.state else {
            Issue.record("it is \(transfer.state)")
            return
        }
        #expect(failure.code == .streamStopped)
    }
}
