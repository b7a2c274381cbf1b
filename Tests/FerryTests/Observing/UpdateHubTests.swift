import FerryCore
import FerryTesting
import Testing

@testable import Ferry

@Suite("Updates for observers")
struct UpdateHubTests {
    private func row(_ id: Int64, _ state: TransferState = .queued, received: Int64 = 0) throws -> Transfer {
        var transfer = try Transfer.row(id, state)
        if received > 0 {
            transfer.downloadProgress.segments = SegmentMap(length: received)
            transfer.downloadProgress.segments.advance(0, writtenTo: received)
        }
        return transfer
    }

    private func rows(_ ids: ClosedRange<Int64>, _ state: TransferState = .queued) throws -> [Transfer] {
        try ids.map { try row($0, state) }
    }

    private func reads(_ hub: UpdateHub, _ reading: UpdateHub.Reading, upTo limit: Int = 1_000) -> [Int64] {
        hub.beginReading(upTo: limit, reading).map(\.rawValue)
    }

    /// The updates that an observer has not taken yet. This ends the hub.
    private func rest(of buffer: UpdateBuffer, _ hub: UpdateHub) async -> [Transfer] {
        hub.finish()
        var rest: [Transfer] = []
        while let update = await buffer.next() { rest.append(update.transfer) }
        return rest
    }

    static let ends: [TransferState] = [
        .completed, .cancelled, .failed(TransferFailure(.timeout, "Nothing came.")),
    ]

    @Test func transfersThatSeveralWatchAreCountedOnce() throws {
        let hub = UpdateHub()
        let ids = (1...6).map { TransferID(rawValue: $0) }
        hub.follow(try rows(1...3))
        let first = hub.observe(Set(ids[2..<5]))
        let all = hub.observe(nil)
        #expect(hub.watched == TransferIDSet(ids[..<5]))
        #expect(hub.watchesMore(than: 4))
        #expect(!hub.watchesMore(than: 5))
        withExtendedLifetime((first, all)) {}
    }

    @Test func transfersThatJoinAnObserverAreDeliveredToIt() async throws {
        let hub = UpdateHub()
        let first = try rows(1...2)
        hub.follow(first)
        let buffer = hub.observe(Set(first.map(\.id)), knowing: first)
        let second = try rows(3...4)
        hub.follow(second)
        hub.join(buffer, knowing: second)
        #expect(reads(hub, .asked).isEmpty)
        for id in Int64(1)...4 { hub.publish(try row(id, .active)) }
        #expect(await rest(of: buffer, hub).map(\.id.rawValue) == [1, 2, 3, 4])
    }

    @Test func aTransferThatChangedBeforeItJoinedIsReadAgain() async throws {
        let hub = UpdateHub()
        let buffer = hub.observe([])
        let (earlier, later) = (try row(1), try row(1, .paused))
        hub.follow([earlier])
        hub.publish(later)
        hub.join(buffer, knowing: [earlier])
        #expect(reads(hub, .asked) == [1])
        hub.take(read: later)
        #expect(await rest(of: buffer, hub) == [later])
    }

    @Test func anObserverThatOthersJoinedDoesNotEndWithItsFirstTransfer() async throws {
        let hub = UpdateHub()
        let (first, second) = (try row(1), try row(2))
        hub.follow([first, second])
        let buffer = hub.observe([first.id], knowing: [first])
        hub.join(buffer, knowing: [second])
        hub.forget(first.id)
        hub.publish(try row(2, .active))
        #expect(await rest(of: buffer, hub).map(\.id.rawValue) == [2])
    }

    @Test func whoNoLongerObservesWatchesNothing() throws {
        let hub = UpdateHub()
        do {
            let line = hub.observe(Set((1...6).map { TransferID(rawValue: $0) }))
            #expect(hub.watchesMore(than: 5))
            withExtendedLifetime(line) {}
        }
        #expect(!hub.watchesMore(than: 0))
        hub.follow([try row(1)])
        #expect(hub.watchesMore(than: 0) && !hub.watchesMore(than: 1))
    }

    @Test(arguments: ends)
    func whatIsOverIsNotWatchedAnyMoreAndStillCounted(_ end: TransferState) throws {
        let hub = UpdateHub()
        hub.follow(try rows(1...300))
        #expect(hub.watchesMore(than: 299))
        for id in Int64(1)...300 {
            hub.publish(try row(id, .active, received: 10))
            hub.publish(try row(id, end, received: 10))
        }
        #expect(hub.watched.isEmpty && hub.unsettled.isEmpty && hub.hasFollowed)
        #expect(!hub.watchesMore(than: 0))
        #expect(reads(hub, .all).isEmpty)
        #expect(hub.totalProgress == TransferProgress(received: 3_000, total: 3_000))
        if end == .completed || end == .cancelled { #expect(hub.load == UpdateHub.Load()) }
        hub.follow([try row(1_000)])
        #expect(hub.totalProgress.total == nil)
    }

    @Test func whatHasFailedGoesOnHereWhenItIsRevivedAndCountsOnce() throws {
        let hub = UpdateHub()
        hub.follow([try row(1, .active, received: 10)])
        hub.publish(try row(1, Self.ends[2], received: 10))
        #expect(hub.unsettled.isEmpty)
        hub.publish(try row(1, .queued, received: 10))
        #expect(hub.unsettled == [TransferID(rawValue: 1)])
        #expect(hub.totalProgress.received == 10)
    }

    @Test func ofVeryManyFailedOnesTheOldestAreForgottenAndStillCounted() throws {
        let hub = UpdateHub()
        let count = Int64(KnownTransfers.mostFailed * 3)
        hub.follow(try rows(1...count))
        for id in 1...count { hub.publish(try row(id, Self.ends[2], received: 10)) }
        #expect(hub.load.transfers <= KnownTransfers.mostFailed)
        #expect(hub.follows(TransferID(rawValue: count)) && !hub.follows(TransferID(rawValue: 1)))
        #expect(hub.totalProgress.received == count * 10)
    }

    @Test func aFailedOneThatSomebodyObservesByNumberIsWatchedAndACompletedOneIsNot() throws {
        let hub = UpdateHub()
        hub.follow(try rows(1...2))
        let line = hub.observe([TransferID(rawValue: 1), TransferID(rawValue: 2)])
        hub.publish(try row(1, Self.ends[2]))
        hub.publish(try row(2, .completed))
        #expect(hub.watched == [TransferID(rawValue: 1)])
        withExtendedLifetime(line) {}
    }

    @Test func noRowIsHeldOfWhatDoesNotRun() throws {
        let hub = UpdateHub()
        hub.follow(try rows(1...2_000))
        for id in Int64(1)...4 { hub.publish(try row(id, .active)) }
        for id in Int64(5)...8 { hub.publish(try row(id, .waiting(.network))) }
        #expect(hub.load.rows == 4)
        hub.publish(try row(1, .paused))
        let meter = ProgressMeter(received: 0, total: nil)
        hub.attach(meter, to: TransferID(rawValue: 2))
        // Another transfer has started in the meantime.
        hub.detach(ProgressMeter(received: 0, total: nil), from: TransferID(rawValue: 2))
        #expect(hub.load.rows == 3)
        hub.detach(meter, from: TransferID(rawValue: 2))
        #expect(hub.load.rows == 2)
        #expect(hub.waiting(for: .network).map(\.rawValue) == [5, 6, 7, 8])
    }

    @Test func whoBeginsToObserveIsToldOfEachOnceWhenItsRowIsRead() async throws {
        let hub = UpdateHub()
        hub.follow(try rows(1...2))
        let all = hub.observe(nil)
        let one = hub.observe([TransferID(rawValue: 1)])
        #expect(reads(hub, .asked) == [1, 2])
        for id in Int64(1)...2 { hub.take(read: try row(id)) }
        #expect(reads(hub, .asked).isEmpty)
        #expect(reads(hub, .all) == [1, 2])
        for id in Int64(1)...2 { hub.take(read: try row(id)) }
        let late = hub.observe([TransferID(rawValue: 2)])
        #expect(reads(hub, .asked) == [2])
        hub.take(read: try row(2))
        #expect(await rest(of: all, hub).map(\.id.rawValue) == [1, 2])
        #expect(await rest(of: one, hub).map(\.id.rawValue) == [1])
        #expect(await rest(of: late, hub).map(\.id.rawValue) == [2])
    }

    @Test func whoKnowsTheRowsIsToldOfWhatHasChangedSince() async throws {
        let hub = UpdateHub()
        let known = try rows(1...3)
        hub.follow(known)
        hub.publish(try row(2, .waiting(.network)))
        hub.publish(try row(3, .completed))
        let buffer = hub.observe(Set(known.map(\.id)), knowing: known)
        #expect(reads(hub, .asked) == [2, 3])
        hub.take(read: try row(2, .waiting(.network)))
        hub.take(read: try row(3, .completed))
        #expect(await rest(of: buffer, hub).map(\.state) == [.waiting(.network), .completed])
    }

    @Test func whatWasReadBeforeAChangeIsNotToldAfterIt() async throws {
        let hub = UpdateHub()
        hub.follow(try rows(1...2))
        let all = hub.observe(nil)
        #expect(reads(hub, .all) == [1, 2])
        hub.publish(try row(1, .completed))
        hub.publish(try row(2, .paused))
        for id in Int64(1)...2 { hub.take(read: try row(id, .queued)) }
        #expect(hub.unsettled.isEmpty)
        #expect(await rest(of: all, hub).map(\.state) == [.completed, .paused])
    }

    @Test(arguments: ends)
    func whatEndsBeforeItIsFollowedIsOverAndToldOnce(_ end: TransferState) async throws {
        let hub = UpdateHub()
        let all = hub.observe(nil)
        hub.expectFollowing()
        // The loop has run it before its caller knows that it was added.
        hub.publish(try row(1, end, received: 10))
        hub.follow([try row(1, .queued)])
        #expect(hub.hasFollowed && hub.unsettled.isEmpty)
        #expect(reads(hub, .all).isEmpty)
        #expect(hub.totalProgress.received == 10)
        #expect(await rest(of: all, hub).map(\.state) == [end])
        // It is not kept for later observers.
        hub.follow([try row(1, .queued)])
        #expect(hub.unsettled == [TransferID(rawValue: 1)])
    }

    @Test func whoBeginsToObserveBetweenTheEndOfAnAttemptAndWhatCameOfItIsToldOfThat() async throws {
        let hub = UpdateHub()
        hub.follow([try row(1)])
        let meter = ProgressMeter(received: 0, total: nil)
        hub.attach(meter, to: TransferID(rawValue: 1))
        hub.publish(try row(1, .active))
        let early = hub.observe([TransferID(rawValue: 1)])
        let all = hub.observe(nil)
        // The row already has the state that the attempt is about to report.
        #expect(reads(hub, .all).isEmpty)
        hub.publish(endOf: meter, try row(1, .completed))
        let late = hub.observe([TransferID(rawValue: 1)])
        #expect(reads(hub, .asked) == [1])
        hub.take(read: try row(1, .completed))
        #expect(await rest(of: early, hub).map(\.state) == [.completed])
        #expect(await rest(of: late, hub).map(\.state) == [.completed])
        // A later observer does not cause updates for the others.
        #expect(await rest(of: all, hub).map(\.state) == [.completed])
    }

    @Test func whatWasBeingReadWhenAnAttemptBeganIsToldByTheAttempt() async throws {
        let hub = UpdateHub()
        hub.follow([try row(1)])
        let all = hub.observe(nil)
        #expect(reads(hub, .all) == [1])
        let meter = ProgressMeter(received: 0, total: nil)
        hub.attach(meter, to: TransferID(rawValue: 1))
        hub.take(read: try row(1, .completed))
        hub.publish(endOf: meter, try row(1, .completed))
        #expect(await rest(of: all, hub).map(\.state) == [.completed])
        #expect(hub.totalProgress == TransferProgress(received: 0, total: nil))
    }

    /// A timer may look at an attempt at the moment at which it ends.
    @Test(arguments: ends)
    func nothingIsToldOfAnAttemptAfterItsEnd(_ end: TransferState) async throws {
        let hub = UpdateHub()
        let (running, meter) = (try row(1, .active), ProgressMeter(received: 0, total: 9))
        hub.publish(progressOf: meter, running)
        hub.follow([running])
        let line = hub.observe(nil)
        hub.attach(meter, to: running.id)
        hub.publish(progressOf: meter, running)
        #expect(await line.next()?.transfer.state == .active)
        hub.publish(endOf: meter, try row(1, end))
        hub.publish(progressOf: meter, running)
        #expect(hub.load.rows == 0)
        #expect(await rest(of: line, hub).map(\.state) == [end])
    }

    @Test func aGreatManyAreReadInTurn() throws {
        let hub = UpdateHub()
        hub.follow(try rows(1...25))
        #expect(reads(hub, .some, upTo: 10) == Array(1...10))
        // Transfers that have ended are left out, and new ones come in the next round.
        hub.publish(try row(12, .completed))
        hub.follow([try row(26)])
        #expect(reads(hub, .some, upTo: 10) == [11] + Array(13...20))
        #expect(reads(hub, .some, upTo: 10) == Array(21...25))
        #expect(reads(hub, .some, upTo: 30) == Array(1...11) + Array(13...26))
    }

    @Test func aSlowObserverIsToldNoMoreThanItTakes() async throws {
        let hub = UpdateHub()
        hub.follow(try rows(1...2_000))
        let buffer = hub.observe(nil)
        var told = 0
        while hub.isAnybodyAsking {
            for id in reads(hub, .asked, upTo: 100) {
                hub.take(read: try row(id))
                told += 1
            }
        }
        #expect(told == UpdateBuffer.crowd)
        for _ in 0..<told { _ = await buffer.next() }
        #expect(hub.isAnybodyAsking)
        // At the end of the engine it is still reported.
        let last = hub.beginReading(upTo: 5_000, .asked, isLast: true)
        #expect(last.count == 2_000 - told)
    }
}
