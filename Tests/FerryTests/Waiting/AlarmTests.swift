import FerryCore
import FerryTesting
import Synchronization
import Testing

@testable import Ferry

/// The one timer of a loop.
struct AlarmTests {
    private let clock = ManualClock()
    private let alarm = Alarm()

    private func set(_ duration: Duration) -> Duration? {
        alarm.set(for: clock.now.advanced(by: duration), at: clock.now)?.wait
    }

    @Test func waitsOnceForTheEarliestMoment() {
        #expect(set(.seconds(9)) == .seconds(9))
        #expect(set(.seconds(20)) == nil, "it rings before that")
        #expect(set(.seconds(5)) == .seconds(5))
        #expect(set(.seconds(9)) == nil)
    }

    @Test func ringsAfterAMinuteAtTheLatestAsTheClockMayBeSet() {
        #expect(set(.seconds(3_600)) == .seconds(60))
        #expect(set(.seconds(-3_600)) == .milliseconds(1))
    }

    @Test func aWaitThatShouldBeOverIsNotReliedOn() {
        #expect(set(.seconds(9)) == .seconds(9))
        clock.jump(to: clock.now.advanced(by: .seconds(30)))
        #expect(set(.seconds(9)) == .seconds(9))
    }

    @Test func ringsForEachWaitThatIsOverAndNotForOneThatIsBrokenOff() async {
        let rings = Mutex(0)
        await withDiscardingTaskGroup { group in
            func set(_ seconds: Int) {
                let moment = clock.now.advanced(by: .seconds(seconds))
                alarm.set(for: moment, by: clock, in: &group) { rings.withLock { $0 += 1 } }
            }
            set(4)
            await clock.nextTimer()
            set(2)
            #expect(await clock.nextTimer() == .seconds(2))
            clock.advance(by: .seconds(4))
            set(7)
            #expect(await clock.nextTimer() == .seconds(7))
            group.cancelAll()
        }
        #expect(rings.withLock { $0 } == 2)
        // What was broken off is not waited for.
        #expect(set(.seconds(7)) == .seconds(7))
    }
}
