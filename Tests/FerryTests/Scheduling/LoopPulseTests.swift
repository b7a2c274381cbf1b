import FerryTesting
import Synchronization
import Testing

@testable import Ferry

@Suite("The pulse of the loop", .timeLimit(.minutes(10)))
struct LoopPulseTests {
    /// What happened, in order.
    private final class EventLog: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test func onlyTheEndOfAWholeRoundIsAnAnswer() async {
        let pulse = LoopPulse()
        pulse.begin()
        let underway = pulse.beginRound()
        let log = EventLog()
        let answer = await pulse.beat {
            // The round in progress may have checked everything before the request.
            pulse.end(underway)
            log.note("the round under way ended")
            let round = pulse.beginRound()
            log.note("a whole round ends")
            pulse.end(round)
        }
        log.note("answered")
        #expect(answer)
        #expect(log.all == ["the round under way ended", "a whole round ends", "answered"])
    }

    @Test(arguments: [true, false])
    func whoIsCancelledWaitsNoMore(_ hasBegun: Bool) async {
        let pulse = LoopPulse()
        if hasBegun { pulse.begin() }
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task { await pulse.beat { asking.yield() } }
        for await _ in asked { break }
        // Other requests in the same round still get an answer.
        let round = pulse.beginRound()
        waiting.cancel()
        #expect(await waiting.value == false)
        pulse.end(round)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await pulse.beat { Issue.record("No task waits for this round.") }
        }
        #expect(await late.value == false)
        #expect(await pulse.beat { pulse.end(pulse.beginRound()) })
    }

    @Test func theEndOfTheLoopIsAnAnswerToAllWhoWait() async {
        let pulse = LoopPulse()
        // The loop has not begun yet, so this request waits.
        #expect(await pulse.beat { pulse.finish() } == false)
        #expect(await pulse.beat { Issue.record("A loop that has ended is not woken.") } == false)
        pulse.begin()
        #expect(await pulse.beat { pulse.end(pulse.beginRound()) })
    }
}
