import FerryCore
import FerryTesting
import Testing

@Suite struct ManualClockTests {
    @Test func wakesASleeperWhenItsTimeHasComeAndNotBefore() async throws {
        let clock = ManualClock()
        let start = clock.now
        async let sleep: Void = clock.sleep(for: .seconds(10))
        #expect(await clock.nextTimer() == .seconds(10))
        clock.advance(by: .seconds(9))
        #expect(clock.sleepers == 1)
        clock.advance(by: .seconds(1))
        try await sleep
        #expect(clock.sleepers == 0)
        #expect(clock.now == start.advanced(by: .seconds(10)))
    }

    @Test func reportsTimersThatWereSetBeforeItWasAsked() async throws {
        let clock = ManualClock()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await clock.sleep(for: .seconds(5)) } }
            for _ in 0..<3 { #expect(await clock.nextTimer() == .seconds(5)) }
            #expect(clock.sleepers == 3)
            clock.advance(by: .seconds(5))
            try await group.waitForAll()
        }
    }

    @Test func goesOnToTheWaitThatIsOverFirst() async throws {
        let clock = ManualClock()
        #expect(!clock.advanceToNextTimer(), "no task waits")
        async let long: Void = clock.sleep(for: .seconds(10))
        async let short: Void = clock.sleep(for: .seconds(3))
        for _ in 0..<2 { await clock.nextTimer() }
        #expect(clock.advanceToNextTimer())
        try await short
        #expect(clock.elapsed == .seconds(3) && clock.sleepers == 1)
        #expect(clock.advanceToNextTimer())
        try await long
        #expect(clock.elapsed == .seconds(10))
    }

    @Test func aJumpOfTheTimeOfDayWakesNobody() async throws {
        let clock = ManualClock()
        async let sleep: Void = clock.sleep(for: .seconds(10))
        await clock.nextTimer()
        clock.jump(to: clock.now.advanced(by: .seconds(100_000)))
        #expect(clock.sleepers == 1)
        clock.jump(to: .epoch)
        clock.advance(by: .seconds(10))
        try await sleep
        #expect(clock.now == Instant(seconds: 10))
        #expect(clock.elapsed == .seconds(10))
    }

    @Test func aCancelledSleepThrowsAndIsForgotten() async {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(10)) }
        await clock.nextTimer()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == 0)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(10))
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(clock.sleepers == 0)
    }

    @Test func aCancelledWatcherTakesNoTimerAway() async throws {
        let clock = ManualClock()
        let watcher = Task { await clock.nextTimer() }
        watcher.cancel()
        #expect(await watcher.value == nil)
        async let sleep: Void = clock.sleep(for: .seconds(1))
        #expect(await clock.nextTimer() == .seconds(1))
        clock.advance(by: .seconds(1))
        try await sleep
    }

    @Test func nothingIsWaitedForWhenThereIsNoTimeToPass() async throws {
        let clock = ManualClock()
        try await clock.sleep(for: .zero)
        try await clock.sleep(for: .seconds(-1))
        #expect(clock.sleepers == 0)
    }

    /// Else two who wait for moments that lie close together would keep it where it is.
    @Test func whatIsShorterThanAMillisecondAddsUp() {
        let clock = ManualClock()
        let begin = clock.now
        for _ in 0..<10 { clock.advance(by: .microseconds(250)) }
        #expect(begin.duration(to: clock.now) == .milliseconds(2))
        clock.advance(by: .microseconds(500))
        #expect(begin.duration(to: clock.now) == .milliseconds(3) && clock.elapsed == .milliseconds(3))
    }
}
