import FerryCore
import Testing

@testable import Ferry

/// The times at which the windows of running transfers are checked.
struct WindowWatchTests {
    /// Tuesday, 22:13:20 in UTC.
    private let now = Instant(seconds: 1_700_000_000)
    private let one = TransferID(rawValue: 1)
    private let two = TransferID(rawValue: 2)

    private func later(_ seconds: Int) -> Instant { now.advanced(by: .seconds(seconds)) }

    @Test func nothingIsLookedAtWhereNothingCloses() {
        let watch = WindowWatch()
        #expect(!watch.set(.always, of: one))
        let look = watch.look(at: now, in: .utc, among: [one])
        #expect(look.closed.isEmpty && look.next == nil)
    }

    @Test func looksAgainAtTheClosingOrAfterAMinuteAsTheClockMayBeSet() throws {
        let watch = WindowWatch()
        #expect(try watch.set(TimeWindow(parsing: "22:00-22:15"), of: one))
        #expect(try !watch.set(TimeWindow(parsing: "22:00-22:15"), of: one), "that is known")
        #expect(watch.look(at: now, in: .utc, among: [one]).next == .seconds(60))
        #expect(
            watch.look(at: later(30), in: .utc, among: [one]).next == nil,
            "another task already waits for that"
        )
        #expect(watch.look(at: later(60), in: .utc, among: [one]).next == .seconds(40))
        // Another window closes earlier, so the next check is earlier.
        #expect(try watch.set(TimeWindow(parsing: "22:00-22:14"), of: two))
        let look = watch.look(at: later(35), in: .utc, among: [one, two])
        #expect(look.next == .seconds(5) && look.closed.isEmpty)
        #expect(watch.look(at: later(40), in: .utc, among: [one, two]).closed == [two])
        let end = watch.look(at: later(100), in: .utc, among: [one, two])
        #expect(end.closed == [one, two] && end.next == .seconds(60), "until they have ended")
    }

    @Test func aClockThatWentBackKeepsNobodyFromLooking() throws {
        let watch = WindowWatch()
        #expect(try watch.set(TimeWindow(parsing: "22:00-23:00"), of: one))
        #expect(watch.look(at: later(2700), in: .utc, among: [one]).next == .seconds(60))
        #expect(watch.look(at: now, in: .utc, among: [one]).next == .seconds(60))
        watch.giveUpLook()
        #expect(watch.look(at: now, in: .utc, among: [one]).next == .seconds(60))
    }

    @Test func forgetsWhatDoesNotRun() throws {
        let watch = WindowWatch()
        let closed = try TimeWindow(parsing: "23:00-23:30")
        for id in [one, two] { #expect(watch.set(closed, of: id)) }
        #expect(watch.look(at: now, in: .utc, among: [two]).closed == [two])
        #expect(watch.set(closed, of: one), "it is new")
        watch.forget(one)
        watch.forget(two)
        #expect(watch.look(at: now, in: .utc, among: [one, two]).closed.isEmpty)
    }

    @Test func goesByTheClocksOfTheZone() throws {
        let watch = WindowWatch()
        #expect(try watch.set(TimeWindow(parsing: "22:00-22:15"), of: one))
        let ahead = LocalTime { _ in .seconds(3600) }
        #expect(watch.look(at: now, in: ahead, among: [one]).closed == [one])
    }
}
