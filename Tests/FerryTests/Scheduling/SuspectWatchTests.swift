import FerryCore
import Testing

@testable import Ferry

/// When no transfer is started, because a suspect runs or waits.
struct SuspectWatchTests {
    private let now = Instant(seconds: 1_700_000_000)
    private let watch = SuspectWatch()

    private func claim(_ token: Int64) -> Claim {
        Claim(transfer: TransferID(rawValue: 1), owner: OwnerID(rawValue: 1), token: token)
    }

    private func later(_ seconds: Int) -> Instant { now.advanced(by: .seconds(seconds)) }

    @Test func aProbationEndsWithItsOwnTimerOnly() {
        watch.began(claim(1))
        #expect(watch.holdsBack(isIdle: false))
        watch.ended(claim(1).transfer)
        #expect(!watch.holdsBack(isIdle: false))
        watch.began(claim(2))
        watch.outlived(claim(1))
        #expect(watch.holdsBack(isIdle: false), "that was the timer of the attempt before")
        watch.outlived(claim(2))
        #expect(!watch.holdsBack(isIdle: false))
    }

    @Test func makesRoomOnceAfterAMinute() {
        #expect(!watch.note(isWaiting: true, at: now))
        #expect(!watch.note(isWaiting: true, at: later(59)))
        #expect(!watch.holdsBack(isIdle: false))
        #expect(watch.note(isWaiting: true, at: later(60)))
        #expect(!watch.note(isWaiting: true, at: later(61)), "once is enough")
        #expect(watch.holdsBack(isIdle: false))
        #expect(!watch.holdsBack(isIdle: true), "there is room")
    }

    @Test func makesRoomAMinuteAfterTheClockWasSetBack() {
        #expect(!watch.note(isWaiting: true, at: now))
        #expect(!watch.note(isWaiting: true, at: later(-3_600)))
        #expect(!watch.note(isWaiting: true, at: later(-3_541)))
        #expect(watch.note(isWaiting: true, at: later(-3_540)))
    }
}
