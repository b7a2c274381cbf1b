import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// The time that the line of a completed transfer names.
@Suite("How long a transfer took")
struct WatchedTimeTests {
    /// A transfer is seen active one second before its end, five seconds after its attempt began.
    @Test(
        "a watcher names the time of the attempt, another command what it saw of it",
        arguments: [(true, Duration.seconds(6)), (false, .seconds(1))]
    )
    func timeOfTheAttempt(isWatching: Bool, expected: Duration) throws {
        var ledger = RunLedger(order: [], tellingInterval: .seconds(5))
        ledger.isWatching = isWatching
        var transfer = try Sample.transfer(received: 1, length: 2)
        transfer.attemptStarted = Sample.now.advanced(by: .seconds(-5))
        _ = ledger.take(Sample.update(transfer), at: Sample.now)
        let end = Sample.now.advanced(by: .seconds(1))
        var done = try Sample.transfer(state: .completed, received: 2, length: 2)
        (done.attemptStarted, done.finished) = (transfer.attemptStarted, end)
        let news = ledger.take(Sample.update(done), at: end)
        #expect(news.last?.news == .state(took: expected))
    }

    @Test("a watcher that has not seen a transfer run names no time")
    func noTimeOfOneThatEndedBefore() throws {
        var ledger = RunLedger(order: [], tellingInterval: .seconds(5))
        ledger.isWatching = true
        var done = try Sample.transfer(state: .completed, received: 2, length: 2)
        (done.attemptStarted, done.finished) = (Sample.now, Sample.now.advanced(by: .seconds(9)))
        let news = ledger.take(Sample.update(done), at: Sample.now)
        #expect(news.last?.news == .state(took: nil))
    }
}
